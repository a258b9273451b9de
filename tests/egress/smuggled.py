"""Requests that look to one reader as if they were for other.test, and to another for forbidden.test; and HONEST
ones, as odd as honest programs send them."""

END = b"\r\n\r\n"
GOOD = b"GET / HTTP/1.1\r\nHost: other.test" + END
BAD = b"GET / HTTP/1.1\r\nHost: forbidden.test" + END
POST = b"POST / HTTP/1.1\r\nHost: other.test\r\n"

REQUESTS = {
    "another_host": BAD,
    "another_host_in_pieces": BAD,
    "http_1_0": b"GET / HTTP/1.0\r\nHost: forbidden.test" + END,
    "http_0_9": b"GET http://forbidden.test/\r\n",
    "two_hosts": b"GET / HTTP/1.1\r\nHost: other.test\r\nHost: forbidden.test" + END,
    "two_hosts_the_other_first": b"GET / HTTP/1.1\r\nHost: forbidden.test\r\nHost: other.test" + END,
    "an_absolute_target": b"GET http://forbidden.test/ HTTP/1.1\r\nHost: other.test" + END,
    "an_absolute_target_with_a_user": b"GET http://other.test@forbidden.test/ HTTP/1.1\r\nHost: other.test" + END,
    "a_second_request": GOOD + BAD,
    "a_folded_line": b"GET / HTTP/1.1\r\nHost:\r\n forbidden.test\r\nX: other.test" + END,
    "a_space_before_the_colon": b"GET / HTTP/1.1\r\nHost: other.test\r\nHost : forbidden.test" + END,
    "a_tab_and_odd_case": b"GET / HTTP/1.1\r\nhOsT:\tForbidden.Test\r\nX: forbidden.test" + END,
    "bare_line_feeds": b"GET / HTTP/1.1\nHost: forbidden.test\n\n",
    "a_bare_return": b"GET / HTTP/1.1\r\nX: y\rHost: forbidden.test\r\nHost: other.test" + END,
    "a_user_in_the_host": b"GET / HTTP/1.1\r\nHost: other.test@forbidden.test" + END,
    "a_nul_in_the_host": b"GET / HTTP/1.1\r\nHost: other.test\0.forbidden.test" + END,
    "a_list_of_hosts": b"GET / HTTP/1.1\r\nHost: other.test, forbidden.test" + END,
    "a_path_in_the_host": b"GET / HTTP/1.1\r\nHost: forbidden.test/other.test" + END,
    "no_http_at_all": b"forbidden.test is what I want\n",
    "http_2_at_once": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n forbidden.test",
    "connect": b"CONNECT forbidden.test:443 HTTP/1.1\r\nHost: other.test" + END,
    "connect_to_itself_then_more": b"CONNECT other.test:80 HTTP/1.1\r\nHost: other.test" + END + BAD,
    "length_and_chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked" + END + b"0\r\n\r\n" + BAD,
    "chunks_and_a_length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 200" + END + b"0\r\n\r\n" + BAD,
    "two_lengths": POST + b"Content-Length: 0\r\nContent-Length: 200" + END + BAD,
    "a_list_of_lengths": POST + b"Content-Length: 200, 0" + END + BAD,
    "a_signed_length": POST + b"Content-Length: +200" + END + BAD,
    "a_length_past_64_bits": POST + b"Content-Length: 18446744073709551816" + END + BAD,
    "no_such_coding": POST + b"Transfer-Encoding: xchunked\r\nContent-Length: 200" + END + BAD,
    "chunks_not_last": POST + b"Transfer-Encoding: chunked, identity" + END + b"ff\r\n" + BAD,
    "a_space_before_the_colon_of_a_coding": POST + b"Transfer-Encoding : chunked\r\nContent-Length: 200" + END + BAD,
    "a_chunk_size_of_another_notation": POST + b"Transfer-Encoding: chunked" + END + b"0x40\r\n" + BAD,
    "a_chunk_size_past_64_bits": POST + b"Transfer-Encoding: chunked" + END + b"10000000000000040\r\n" + BAD,
    "a_negative_chunk_size": POST + b"Transfer-Encoding: chunked" + END + b"-40\r\n" + BAD,
    "a_line_feed_in_a_chunk_extension": POST + b"Transfer-Encoding: chunked" + END + b"1;\nx\r\n0\r\n\r\n" + BAD,
    "after_the_last_chunk": POST + b"Transfer-Encoding: chunked" + END + b"0\r\n\r\n" + BAD,
    "after_the_length": POST + b"Content-Length: 2" + END + b"ab" + BAD,
    "an_upgrade_that_the_server_does_not_want":
        b"GET / HTTP/1.1\r\nHost: other.test\r\nConnection: upgrade\r\nUpgrade: websocket" + END + BAD,
    "an_upgrade_to_http_2": b"GET / HTTP/1.1\r\nHost: other.test\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                            b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__" + END + BAD,
    "a_header_without_an_end": b"GET / HTTP/1.1\r\nHost: other.test\r\nX: " + b"y" * 20000 + b"\r\nHost: forbidden.test" + END,
}

HONEST = {
    "plain": GOOD,
    "with_the_port": b"GET / HTTP/1.1\r\nHost: other.test:80" + END,
    "odd_case": b"GET / HTTP/1.1\r\nhOST:   Other.TEST  " + END,
    "with_a_final_dot": b"GET / HTTP/1.1\r\nHost: other.test." + END,
    "http_1_0": b"GET / HTTP/1.0\r\nHost: other.test" + END,
    "an_absolute_target": b"GET http://other.test/a?b HTTP/1.1\r\nHost: other.test" + END,
    "all_of_a_server": b"OPTIONS * HTTP/1.1\r\nHost: other.test" + END,
    "two_in_a_row": GOOD + b"HEAD /x HTTP/1.1\r\nHost: other.test" + END,
    "a_body": POST + b"Content-Length: 5" + END + b"a\r\nb\n" + GOOD,
    "chunks": POST + b"Transfer-Encoding: chunked\r\nTrailer: X" + END + b"4;a=b\r\nwith\r\nA\r\n forbidden\r\n0\r\nX: y\r\n\r\n" + GOOD,
    "no_body": POST + b"Content-Length: 0" + END + GOOD,
    "a_big_body": POST + b"Content-Length: 300000" + END + bytes(300000) + GOOD,
    "a_body_that_looks_like_a_request": POST + b"Content-Length: %d" % len(BAD) + END + BAD,
    "many_headers": b"GET / HTTP/1.1\r\nHost: other.test\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(90)) + b"\r\n",
    "a_long_target": b"GET /" + b"x" * 6000 + b" HTTP/1.1\r\nHost: other.test" + END,
    "a_cookie_of_eight_kilobytes": b"GET / HTTP/1.1\r\nHost: other.test\r\nCookie: a=" + b"x" * 8000 + END,
    "an_own_method": b"PROPFIND / HTTP/1.1\r\nHost: other.test" + END,
}
