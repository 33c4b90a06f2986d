"""A proxy setting that cannot be meant is a matter of this machine's configuration."""

from faults.case import Case

CASES = {
    f"{variable} {value}": Case(
        environ={"UNIFIED_BASE_URL": "https://api.example.test", variable: value},
        exit=3,
        stderr=[f"proxy setting in {variable}"],
        never=["hunter2"],
        requests=0,
    )
    for variable, value in [
        ("ALL_PROXY", "htp://x"),
        ("all_proxy", "socks5://127.0.0.1:1080"),
        ("HTTPS_PROXY", "http://"),
        ("https_proxy", "http://[::1"),
        ("HTTPS_PROXY", "http://me:hunter2@proxy:port"),
        ("HTTPS_PROXY", "http://proxy:99999"),
        ("HTTPS_PROXY", "http://xn--:1"),
    ]
}
