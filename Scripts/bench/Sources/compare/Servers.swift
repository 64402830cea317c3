import Foundation

/// The servers on loopback, until ``stop()``.
final class Servers {
  private let files: Files
  private let raw: String
  /// A command in front of each server's: `taskset -c 1`.
  private let prefix: [String]
  private var processes: [Process] = []
  private var certificate: String { files.work + "/certificate.pem" }
  private var key: String { files.work + "/key.pem" }

  init(_ files: Files, raw: String, prefix: [String]) {
    self.files = files
    self.raw = raw
    self.prefix = prefix
  }

  /// Starts all of them.
  func start(_ programs: Programs, prefix measured: [String]) throws -> Setup {
    try makeCertificate()
    let port = try freePort()
    let files = "http://127.0.0.1:\(port)"
    try startNginx(port, serving: files + "/hello")
    return Setup(
      programs: programs, files: self.files, web: files, secure: "https://127.0.0.1:\(port + 1)",
      closing: "https://127.0.0.1:\(port + 2)", quic: try startCaddy(), stalls: try startOwn("stall-server"),
      sink: try startOwn("sink-server"), webSockets: try startOwn("websocket-server"), certificate: certificate, prefix: measured)
  }

  func stop() {
    for process in processes { process.terminate() }
    for process in processes { process.waitUntilExit() }
  }

  private func startServer(_ words: [String], output: Any, errors: Any? = nil, environment: [String: String] = [:]) throws
    -> Process
  {
    let process = try Shell.start(prefix + words, output: output, errors: errors, environment: environment)
    processes.append(process)
    return process
  }

  private func log(_ name: String) throws -> FileHandle {
    let path = files.work + "/" + name
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  private func makeCertificate() throws {
    let words = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
    ]
    guard Shell.succeeds(words) else { throw Failed("openssl makes no certificate") }
  }

  /// A port on which nothing answers now.
  private func freePort() throws -> Int {
    for _ in 0..<100 {
      let port = Int.random(in: 20000..<32000)
      if !Shell.succeeds(["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"]) { return port }
    }
    throw Failed("no free port found")
  }

  private func startNginx(_ port: Int, serving url: String) throws {
    let path = files.work + "/nginx.conf"
    try configuration(port).write(toFile: path, atomically: true, encoding: .utf8)
    let output = try log("nginx.out")
    let nginx = try startServer(["nginx", "-p", files.work, "-c", path], output: output, errors: output)
    let hasStarted = try waits(times: 100) {
      guard nginx.isRunning else { throw Failed("nginx has ended: \(text(of: "nginx.out"))\(text(of: "nginx.log"))") }
      return Shell.succeeds([raw, "get", url, "--limit", "5"])
    }
    if !hasStarted { throw Failed("nginx does not answer: \(text(of: "nginx.out"))\(text(of: "nginx.log"))") }
  }

  private func text(of name: String) -> String { (try? String(contentsOfFile: files.work + "/" + name, encoding: .utf8)) ?? "" }

  /// A caddy for HTTP/3, if caddy is installed and the C program reaches it over HTTP/3.
  private func startCaddy() throws -> String? {
    guard Shell.has("caddy") else { return nil }
    let port = try freePort()
    let path = files.work + "/Caddyfile"
    try """
    {
      admin off
      auto_https off
    }
    https://:\(port) {
      bind 127.0.0.1
      tls \(certificate) \(key)
      respond /hello "Hello, world!"
      root * \(files.served)
      file_server
    }

    """.write(toFile: path, atomically: true, encoding: .utf8)
    let output = try log("caddy.log")
    _ = try startServer(
      ["caddy", "run", "--config", path, "--adapter", "caddyfile"], output: output, errors: output,
      environment: ["HOME": files.work, "XDG_CONFIG_HOME": files.work, "XDG_DATA_HOME": files.work])
    let url = "https://localhost:\(port)"
    let get = [raw, "get", url + "/hello", "--certificate", certificate, "--limit", "5"]
    _ = waits(times: 50) { Shell.succeeds(get) }
    return Shell.succeeds(get + ["--http", "3"]) ? url : nil
  }

  /// Starts one of the servers of raw/servers.c. Returns its URL.
  private func startOwn(_ name: String) throws -> String {
    let path = name + ".port"
    _ = try startServer([raw, name, "--limit", "7200"], output: try log(path))
    guard waits(times: 100, for: { !text(of: path).isEmpty }) else { throw Failed("\(name) does not start") }
    return "http://127.0.0.1:\(text(of: path).trimmingCharacters(in: .whitespacesAndNewlines))"
  }

  private func configuration(_ port: Int) -> String {
    let lines = (1...8).map { #"{\"article\":\"article \#($0)\",\"count\":\#($0),\"price\":2.5}"# }.joined(separator: ",")
    // In one segment; a file's head and body come in two.
    let locations = """
      location = /hello { return 200 "Hello, world!"; }
          location = /order {
            default_type application/json;
            return 200 "{\\"id\\":4711,\\"customer\\":\\"Ada Lovelace\\",\\"isPaid\\":true,\\"lines\\":[\(lines)]}";
          }
      """
    return """
      user \(Shell.output(of: ["id", "-un"]) ?? "") \(Shell.output(of: ["id", "-gn"]) ?? "");
      worker_processes 1;
      daemon off;
      pid \(files.work)/nginx.pid;
      error_log \(files.work)/nginx.log;
      worker_rlimit_nofile 20000;
      events { worker_connections 18000; }
      http {
        access_log off;
        sendfile on;
        open_file_cache max=16;
        keepalive_requests 1000000;
        keepalive_timeout 60;
        client_max_body_size 0;
        client_body_temp_path \(files.work)/body;
        proxy_temp_path \(files.work)/proxy;
        fastcgi_temp_path \(files.work)/fastcgi;
        uwsgi_temp_path \(files.work)/uwsgi;
        scgi_temp_path \(files.work)/scgi;
        http2_max_requests 1000000;
        ssl_certificate \(certificate);
        ssl_certificate_key \(key);
        ssl_protocols TLSv1.3;
        ssl_session_cache shared:bench:10m;
        root \(files.served);
        server {
          listen 127.0.0.1:\(port) backlog=16384;
          \(locations)
        }
        server {
          listen 127.0.0.1:\(port + 1) ssl http2;
          \(locations)
        }
        server {
          listen 127.0.0.1:\(port + 2) ssl;
          keepalive_timeout 0;
          \(locations)
        }
      }

      """
  }
}
