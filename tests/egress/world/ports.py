"""Which small service listens where."""

WEB = 80
ECHO = 7
MAIL = 25
SLOW = 2000
ENDS_ITS_HALF = 2001
RESETS = 2002
CLOSES_FIRST = 2003
SPEAKS_LAST = 2004
SOURCE = 2005
READS_SLOWLY = 2006
SILENT = 2007
HOW_IT_ENDED = 2008
WEBSOCKET = 2009
NEVER_READS = 2010
PROXY = 3128
PROXY_WITH_PASSWORD = 3129
RANGE = range(9000, 9005)  # echo on each
OF_HOST, OTHER_OF_HOST = 7001, 7002  # echo, on the host's loopback alone
ON_HOST = 7003  # echo, on all addresses of the host
ELSEWHERE_ON_HOST = 7004  # echo, on 127.0.0.5 alone

EVERYWHERE = {"echo": [ECHO, *RANGE], "mail": [MAIL], "slow": [SLOW], "ends_its_half": [ENDS_ITS_HALF],
              "resets": [RESETS], "closes_first": [CLOSES_FIRST], "speaks_last": [SPEAKS_LAST], "source": [SOURCE],
              "reads_slowly": [READS_SLOWLY], "silent": [SILENT], "how_it_ended": [HOW_IT_ENDED], "websocket": [WEBSOCKET], "never_reads": [NEVER_READS],
              "proxy": [PROXY],
              "proxy_with_password": [PROXY_WITH_PASSWORD]}
# Beside nginx, which has the ports 80 and 443 of 11.22.33.10 and 2a00:1122:33::10.
BARE_WEB = ("11.22.33.20", "2a00:1122:33::20", "169.254.169.254", "10.20.0.5", "fd00:20::5")


def tcp(where):
    """(service, host, port); host None: all addresses."""
    if where == "host":
        return [*(("echo", host, port) for host in ("127.0.0.1", "::1") for port in (OF_HOST, OTHER_OF_HOST)),
                ("echo", None, ON_HOST), ("echo", "127.0.0.5", ELSEWHERE_ON_HOST)]
    return [*((name, None, port) for name, list_ in EVERYWHERE.items() for port in list_),
            *(("web", host, WEB) for host in BARE_WEB), ("echo", "11.22.33.20", 443),
            ("proxy", "11.22.33.30", 80), ("proxy", "11.22.33.30", 443)]


def udp(where):
    if where == "host":
        return [("127.0.0.1", OF_HOST), ("11.22.33.2", ON_HOST)]
    hosts = ("11.22.33.10", "11.22.33.20", "2a00:1122:33::10", "2a00:1122:33::20", "10.20.0.5", "fd00:20::5")
    return [(host, port) for host in hosts for port in (ECHO, *RANGE)]
