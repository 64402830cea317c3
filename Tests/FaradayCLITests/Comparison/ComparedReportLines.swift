/// The lines about timeouts, and about reports beside the body.
extension ComparedLine {
  static let reports = waiting + traces

  private static let waiting: [ComparedLine] = [
    // With the second that it has otherwise, the body would be sent.
    .ends(28, "curl -sS -m 2 --expect100-timeout 100 -T big $URL/expect-unanswered"),
    .ends(28, "curl -sS -m 2 --limit-rate 100K -T big $URL/put"),
    .ends(28, "curl -sS -m 600 --speed-limit 1000 --speed-time 1 $URL/silent", shows: "Less than 1000 bytes/sec"),
    .ends(28, "curl -sS -m 600 -y 1 $URL/silent", shows: "Less than 1 bytes/sec"),
    .ends(0, "curl -sS -R -o out $URL/dated; stat -c %Y out", shows: "784111777"),
    .ends(0, "curl -sSRO $URL/dated; stat -c %Y dated", shows: "784111777"),
    .ends(0, "touch -d @1 out; curl -sSR -o out $URL/hello; [ $(stat -c %Y out) -gt 1 ]"),
  ]

  private static let traces: [ComparedLine] = [
    .ends(0, "curl -s --trace-ascii dump -A me $URL/hello; sed -i '/^== Info/d' dump", shows: "=> Send header, "),
    .ends(0, "curl -s --trace dump -A me -H 'Host: x' -d a=1 $URL/post; sed -i '/^== Info/d' dump", shows: "3d 31"),
    .ends(0, "curl -sL --trace-ascii - -A me -o out $URL/redirect/1 | grep -v '^== Info'", shows: "<= Recv data, "),
    .ends(
      0, "curl -s --trace-ascii - -A me -o out $URL/chunked -o other $URL/hello | grep -v '^== Info'", shows: "<= Recv data, "),
    .ends(0, "curl -s --trace-ascii - -A me -o out -T text $URL/put | grep -v '^== Info'", shows: "=> Send data, "),
    .ends(
      0, "curl -sv --trace-time $URL/hello 2>&1 | sed -nE 's/^[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6} ([<>])/TIME \\1/p'",
      shows: "TIME > GET /hello HTTP/1.1"),
    .ends(
      0,
      "curl -s --trace-time --trace-ascii - -A me -o out $URL/hello | "
        + "grep -v '== Info' | sed -E 's/^[0-9:]{8}\\.[0-9]{6} /TIME /'",
      shows: "TIME => Send header, "),
  ]
}
