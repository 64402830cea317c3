/// All the work there is, in the order of the table.
func rows(_ setup: Setup) -> [Row] { rowsOverTCP(setup) + rowsOverQUIC(setup) + webSockets(setup) }

private func webSockets(_ setup: Setup) -> [Row] {
  func row(
    _ name: String, _ title: String, _ unit: Row.Unit, _ mode: String, bytes: Int = 0, requests: Int = 1, concurrency: Int = 1,
    _ contestants: [Contestant] = [.plainC, .python, .faraday]
  ) -> Row {
    Row(
      name: name, title: title, unit: unit, mode: mode, url: setup.webSockets, requests: requests, concurrency: concurrency,
      arguments: ["--bytes", "\(bytes)"], contestants: contestants)
  }
  return [
    row("ws-small", "messages of 64 bytes received", .requests, "ws-receive", bytes: 64, requests: 500_000),
    row("ws-large", "1 GiB received in messages of 64 KiB", .megabytes, "ws-receive", bytes: 64 << 10, requests: 16384),
    row("ws-send", "1 GiB sent in messages of 64 KiB", .megabytes, "ws-send", bytes: 64 << 10, requests: 16384),
    row("ws-echo", "messages of 64 bytes and their echo, one at a time", .requests, "ws-echo", bytes: 64, requests: 20000),
    row("ws-10000", "10,000 open WebSockets", .kibibytes, "ws-idle", bytes: 1, concurrency: 10000, [.python, .faraday]),
  ]
}

/// HTTP/3, which async-http-client does not have.
private func rowsOverQUIC(_ setup: Setup) -> [Row] {
  guard let server = setup.quic else { return [] }
  let http3 = ["--http", "3", "--certificate", setup.certificate]
  return [
    Row(
      name: "http3-64", title: "small GET over HTTP/3, 64 streams", unit: .requests, mode: "get", url: server + "/hello",
      requests: 10000, concurrency: 64, arguments: http3, contestants: [.c, .faraday]),
    Row(
      name: "http3-stream", title: "50 MiB over HTTP/3, streamed", unit: .megabytes, mode: "stream", url: server + "/50m",
      requests: 4, arguments: http3,
      contestants: [Contestant(name: Contestant.c.name, program: .c, mode: "download"), .faraday]),
  ]
}

private func rowsOverTCP(_ setup: Setup) -> [Row] {
  let http2 = ["--http", "2", "--certificate", setup.certificate]
  let tls = ["--certificate", setup.certificate]
  let gib = "\(1 << 30)"
  let onEngine = "on the engine's thread"
  return [
    Row(
      name: "get-64", title: "small GET, 64 in flight", unit: .requests, mode: "get", url: setup.web + "/hello",
      requests: 50000, concurrency: 64, target: "0.85 C, 1.6 AHC", isQuick: true),
    Row(
      name: "get-64-all", title: "small GET, 64 in flight, clients on all processors", unit: .requests, mode: "get",
      url: setup.web + "/hello", requests: 50000, concurrency: 64,
      contestants: Contestant.withoutURLSession + [.faraday("2 threads", "--threads", "2")], isPinned: false),
    Row(
      name: "get-1", title: "one at a time", unit: .requests, mode: "get", url: setup.web + "/hello", requests: 10000,
      contestants: Contestant.all + [.faraday(onEngine, mode: "get-on-engine")], target: "0.70 C, 1.7 AHC", isQuick: true),
    Row(
      name: "get-1000", title: "1,000 in flight", unit: .requests, mode: "get", url: setup.web + "/hello", requests: 50000,
      concurrency: 1000, contestants: Contestant.withoutURLSession, target: "0.85 C, 1.4 AHC"),
    Row(
      name: "get-16k", title: "16 KiB, 64 in flight", unit: .requests, mode: "get", url: setup.web + "/16k", requests: 30000,
      concurrency: 64),
    Row(
      name: "http2-64", title: "small GET over TLS HTTP/2, 64 streams", unit: .requests, mode: "get",
      url: setup.secure + "/hello", requests: 30000, concurrency: 64, arguments: http2,
      contestants: Contestant.withoutURLSession, target: "0.85 C, 1.7 AHC", isQuick: true),
    Row(
      name: "json", title: "JSON POST and typed decoding, 64 in flight", unit: .requests, mode: "json",
      url: setup.web + "/order", requests: 20000, concurrency: 64,
      contestants: [.c, .oneLoop, .twoLoops, .urlSession, .faraday, .faraday("standard middleware", "--standard")],
      isQuick: true),
    Row(
      name: "callback", title: "1 GiB by callback", unit: .megabytes, mode: "download", url: setup.web + "/1g",
      target: "0.97 C", isQuick: true),
    Row(
      name: "stream", title: "1 GiB streamed", unit: .megabytes, mode: "stream", url: setup.web + "/1g",
      contestants: [
        Contestant(name: Contestant.c.name, program: .c, mode: "download"), .oneLoop, .twoLoops, .faraday,
        .faraday(onEngine, mode: "stream-on-engine"),
      ], target: "0.80 C, 1.4 AHC", isQuick: true),
    Row(
      name: "file", title: "1 GiB to a file", unit: .megabytes, mode: "file", url: setup.web + "/1g",
      arguments: ["--file", setup.files.served + "/saved"]),
    Row(
      name: "callback-8", title: "eight of 1 GiB at once by callback", unit: .megabytes, mode: "download",
      url: setup.web + "/1g", requests: 8, concurrency: 8, contestants: Contestant.withoutURLSession),
    Row(
      name: "stream-8", title: "eight of 1 GiB at once, streamed", unit: .megabytes, mode: "stream", url: setup.web + "/1g",
      requests: 8, concurrency: 8,
      contestants: [Contestant(name: Contestant.c.name, program: .c, mode: "download"), .oneLoop, .twoLoops, .faraday],
      target: "1.2 AHC"),
    Row(
      name: "file-8", title: "eight of 256 MiB at once to files", unit: .megabytes, mode: "file", url: setup.web + "/256m",
      requests: 8, concurrency: 8, arguments: ["--file", setup.files.served + "/saved"],
      contestants: Contestant.withoutURLSession),
    Row(
      name: "tls-callback", title: "1 GiB over TLS 1.3, HTTP/1.1, by callback", unit: .megabytes, mode: "download",
      url: setup.secure + "/1g", arguments: tls, contestants: Contestant.withoutURLSession),
    Row(
      name: "tls-stream", title: "1 GiB over TLS 1.3, HTTP/1.1, streamed", unit: .megabytes, mode: "stream",
      url: setup.secure + "/1g", arguments: tls,
      contestants: [Contestant(name: Contestant.c.name, program: .c, mode: "download"), .oneLoop, .twoLoops, .faraday]),
    Row(
      name: "http2-callback", title: "256 MiB over TLS 1.3, HTTP/2, by callback", unit: .megabytes, mode: "download",
      url: setup.secure + "/256m", arguments: http2, contestants: Contestant.withoutURLSession),
    Row(
      name: "http2-stream", title: "256 MiB over TLS 1.3, HTTP/2, streamed", unit: .megabytes, mode: "stream",
      url: setup.secure + "/256m", arguments: http2,
      contestants: [Contestant(name: Contestant.c.name, program: .c, mode: "download"), .oneLoop, .twoLoops, .faraday],
      target: "1.0 C"),
    Row(
      name: "upload", title: "upload of 1 GiB from a sequence, with progress", unit: .megabytes, mode: "upload",
      url: setup.sink + "/", arguments: ["--bytes", gib], contestants: Contestant.withoutURLSession, target: "0.90 C",
      isQuick: true),
    Row(
      name: "upload-file", title: "upload of 1 GiB from a file", unit: .megabytes, mode: "upload-file", url: setup.sink + "/",
      arguments: ["--file", setup.files.served + "/1g"]),
    Row(
      name: "handshakes", title: "TLS 1.3 handshakes, sessions resumed", unit: .requests, mode: "handshakes",
      url: setup.closing + "/hello", requests: 500, concurrency: 8, arguments: tls, contestants: [.c, .faraday]),
    Row(
      name: "handshakes-full", title: "TLS 1.3 handshakes, each anew", unit: .requests, mode: "handshakes",
      url: setup.closing + "/hello", requests: 500, concurrency: 8, arguments: tls + ["--forget-sessions"],
      contestants: Contestant.withoutURLSession),
    Row(
      name: "slow-10000", title: "10,000 slow responses open at once", unit: .kibibytes, mode: "slow", url: setup.stalls + "/",
      concurrency: 10000, contestants: Contestant.withoutURLSession),
    Row(
      name: "burst-10000", title: "10,000 GETs at once, as configured by default", unit: .peak, mode: "get",
      url: setup.web + "/hello", requests: 10000, concurrency: 10000, arguments: ["--by-default"],
      contestants: [.oneLoop, .twoLoops, .faraday, .faraday("standard middleware", "--standard")], target: "100 MB"),
    Row(
      name: "idle-500", title: "small GETs beside 500 slow responses", unit: .requests, mode: "idle", url: setup.stalls + "/",
      requests: 5000, concurrency: 500, arguments: ["--second", setup.web + "/hello"], contestants: [.c, .faraday],
      target: "1.0 C"),
    Row(
      name: "zeros", title: "1 GiB of a sparse file, streamed", unit: .megabytes, mode: "stream", url: setup.web + "/zeros",
      contestants: [Contestant(name: Contestant.c.name, program: .c, mode: "download"), .faraday]),
    Row(
      name: "lines", title: "lines of 256 MiB of NDJSON", unit: .megabytes, mode: "download", url: setup.web + "/ndjson",
      requests: 8, contestants: [.faraday("pieces"), .faraday("lines", mode: "lines")]),
    Row(
      name: "middleware", title: "small GET, 64 in flight, by middleware", unit: .requests, mode: "get",
      url: setup.web + "/hello", requests: 50000, concurrency: 64,
      contestants: [.faraday, .faraday("ten middleware", "--layers", "10"), .faraday("standard middleware", "--standard")]),
  ]
}
