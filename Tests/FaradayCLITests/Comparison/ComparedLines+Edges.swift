/// Lines found by an audit against curl, by topic.
extension ComparedLine {
  static let edges = times + tunnels + otherSchemes + rest

  /// A server that ignores the time of `-z`.
  private static let times = [
    "curl -s -z '1 Jan 2020' $URL/modified",
    "curl -s -z '-1 Jan 1990' $URL/modified",
    "curl -s -z '1 Jan 1990' $URL/modified",
    "curl -s -z '-1 Jan 2020' $URL/modified",
    "curl -si -z '1 Jan 2020' $URL/modified",
    "curl -s -z '1 Jan 2020' -o old $URL/modified -w '%{http_code} %{exitcode} %{size_download}'",
    "touch -d '1 Jan 2020' whole; curl -s -z whole -R -o whole $URL/modified -w '%{response_code}'; date -r whole",
    "curl -s -z '1 Jan 2020' -r 0-1 $URL/modified",
    "curl -s -z '1 Jan 2020' $URL/hello $URL/modified",
  ]

  /// Reports about a proxy's response, and about the server's response behind it.
  private static let tunnels = [
    "curl -s -p -x $URL http://open.example/hello -w ' %{http_connect} %{http_code} %{num_connects}'",
    "curl -s -p -x $URL http://open.example/nothing -w '%{http_connect} %{exitcode} %{http_code}'",
    "curl -s -p -x $URL http://open.example/broken-head -w '%{http_connect} %{exitcode} %{http_code}'",
    "curl -s -m 2 -x $URL https://open.example/ -w '%{http_connect} %{exitcode} %{http_code}'",
    "curl -sL -p -x $URL http://open.example/to-nothing -w '%{http_connect} %{exitcode} %{http_code}'",
    "curl -s -p -x $URL http://shut.example/hello -w '%{http_connect} %{exitcode} %{http_code}'",
    "curl -s $URL/nothing -w '%{http_connect} %{exitcode} %{http_code} %{remote_ip} %{num_connects}'",
    "curl -s -H 'User-Agent: q' -p -x $URL http://open.example/hello",
  ]

  /// An HTTP proxy for another scheme, and one of the environment.
  private static let otherSchemes = [
    "curl -s -x $URL ftp://h.example/f -w ' %{http_code}'",
    "all_proxy=$URL curl -s http://h.example/hello",
    "ALL_PROXY=$URL curl -s http://h.example/hello",
    "http_proxy=http://a:b@127.0.0.1:$PORT curl -s http://h.example/hello",
    "http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 curl -s $URL/hello",
    "curl -sS --proto =http -x $URL ftp://h.example/f",
    "curl -s --noproxy other,.ample -x $URL http://h.example/hello",
    "curl -sSL --proto -ftp -x $URL http://h.example/to-ftp",
    "http_proxy=$URL no_proxy=other curl -s 'http://h.example/a|b'",
    "http_proxy=http://127.0.0.1:1 no_proxy='x, 127.0.0.0/8' curl -s \"$URL/a|b\"",
    "http_proxy=http://a:b@127.0.0.1:$PORT curl -s -U q:r http://h.example/hello",
    "curl -s -H 'Proxy-Connection:' -x $URL http://h.example/hello",
    "curl -s --proxy-header 'Proxy-Connection: close' -x $URL http://h.example/hello",
    "curl -s --proxy-header 'Proxy-Connection:' -x $URL http://h.example/hello",
    "curl -s -x $URL --resolve h.example:80:127.0.0.1 http://h.example/hello",
    "curl -s -x $URL --connect-to ::open.example:80 'http://h.example/a|b'",
    "curl -s -x $URL 'http://h.example/a|b?c^d'",
    "http_proxy=$URL curl -s 'http://h.example/a|b?c^d'",
    "curl -s --noproxy h.example -x http://127.0.0.1:1 \"$URL/a|b\"",
  ]

  private static let rest = [
    "curl -s --digest -u joe:pw -T text $URL/digest",
    "curl -s --oauth2-bearer token --digest -u joe:pw $URL/digest",
    "curl -s --oauth2-bearer token --digest $URL/basic",
    "curl -sSOJ $URL/named/",
    "curl -sSOJ $URL/",
    "curl -s -G --data-urlencode 'q=a/b?c=é' $URL/hello",
    "curl -s -G -d 'q=%2F%zz' $URL/hello?kept=%2F",
    "curl -s --url-query 'q=a/b' $URL/hello",
    "curl -s \"$URL/[3-1]\"",
    "curl -s --etag-compare nope $URL/hello",
    "curl -sL $URL/loud-location -w '%{url_effective}'",
    "curl -s -w '%{urlnum}' $URL/hello $URL/final --next -s -w '%{urlnum}' $URL/hello",
    "curl -sL -b '' $URL/secure-cookie",
    "curl -sSL --proto =http $URL/to-https -w '%{exitcode}'",
    "curl -sSL --proto-redir =http $URL/to-https -w '%{exitcode}'",
    "curl -sS -m 2 https://127.0.0.1:$PORT/",
    "curl -T - -H 'X-Own: 1' $URL/put <text",
    "curl -s --http3 $URL/hello",
    "curl -s --dns-servers 127.0.0.1 $URL/hello",
    "curl -s --dns-interface lo $URL/hello",
    "curl -s -b a=1 -b b=2 $URL/hello",
    "curl -s -H 'X-Own:1' $URL/hello",
    "curl -s --aws-sigv4 aws:amz:us-east-1:s3 -u key:secret $URL/hello",
  ]
}
