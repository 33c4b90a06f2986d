"""A token goes in clear text to this machine only."""

from faults.case import LIST, Case

CASES = {
    **{
        url: Case(
            LIST, environ={"UNIFIED_BASE_URL": url}, exit=13, stderr=["in clear text"], requests=0
        )
        for url in (
            "http://api.example.test",
            "http://127.0.0.1.example.test:@PORT@",
            "http://localhost.example.test",
            "http://192.168.0.1",
            "http://[2001:db8::1]",
        )
    },
    **{
        url: Case(LIST, environ={"UNIFIED_BASE_URL": url}, requests=1)
        for url in ("http://localhost:@PORT@", "http://127.0.0.1:@PORT@/")
    },
}
