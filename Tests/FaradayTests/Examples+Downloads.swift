import Faraday

// The blocks of the article Downloads, as they stand there.

func downloadOneFile(_ connection: Connection, folder: String) async throws {
  let download = try await connection.download(
    "releases/1.iso", to: folder + "/1.iso",
    progress: { print("\($0.bytes) bytes, \($0.bytesPerSecond) a second, \($0.timeLeft.map { "\($0)" } ?? "?") left") })
  print(download.size, download.resumed, download.requestCount)
}

func downloadWithChecksum(_ connection: Connection, folder: String) async throws {
  var options = DownloadOptions()
  options.checksum = try .sha256("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
  options.replacesExisting = false
  try await connection.download("hello", to: folder + "/hello", options: options)
}

func downloadManyFiles(_ connection: Connection, folder: String) async throws {
  let items = ["a", "b", "c"].map { DownloadItem($0, to: folder + "/" + $0) }
  let results = try await connection.downloads(items, maximumConcurrent: 2, progress: { print($0.finished, "of", $0.count) })
  for case .failure(let error) in results { print(error) }
}
