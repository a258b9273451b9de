"""Programs that come with large libraries of their own."""


def test_curl_to_a_server_inside_and_to_nothing_outside(inside, project):
    run = inside("shell", project("tools"), "bash", "curl.sh")
    assert run.out == "404\noutside: refused\n"


def test_openssl_keys_certificates_and_tls(inside, project):
    run = inside("shell", project("tools"), "bash", "openssl.sh")
    assert run.out == "cert: OK\nsecret\nVerified OK\nVerify return code: 0 (ok)\n"


def test_sqlite_with_two_writers(inside, project):
    run = inside("shell", project("tools"), "bash", "sqlite.sh")
    assert run.out == "wal\n2000|1001000\nok\n"


def test_imagemagick(inside, project):
    run = inside("default", project("tools"), "bash", "image.sh")
    assert run.out.split() == ["JPEG", "100x50", "GIF", "0"]
