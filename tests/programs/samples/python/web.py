"""A web server on each loopback address and a client for it, in one program."""
import http.server
import socket
import sys
import threading
import urllib.request


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"hello {self.path}".encode())

    def log_message(self, *_):
        pass


class Six(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


for address in sys.argv[1:]:
    kind = Six if ":" in address else http.server.ThreadingHTTPServer
    server = kind((address, 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"[{address}]" if ":" in address else address
    text = urllib.request.urlopen(f"http://{host}:{server.server_port}/x", timeout=10).read()
    assert text == b"hello /x", text
    server.shutdown()
    print(address, "fine")
