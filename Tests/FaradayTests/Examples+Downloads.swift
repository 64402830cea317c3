import Faraday

// The blocks of Swift in the article about downloads, each as it stands there; ReadmeTests compares them.

func downloadedFile(_ connection: Connection, _ hash: String) async throws {
  let download = try await connection.download("image.iso", to: "/srv/image.iso")
  print(download.size, "bytes,", download.resumed, "of them from an earlier download")
  let image = try await connection.download(
    "image.iso", to: "/srv/image.iso", checksum: .sha256(hash),
    progress: { print($0.fraction ?? 0, $0.bytesPerSecond, $0.timeLeft ?? .zero) })
  print(image.verified)
  let patient = DownloadPolicy(existing: .fail, retries: 20, maximumDelay: .seconds(60))
  _ = try await connection.download("image.iso", to: "/srv/image.iso", policy: patient)
}

func verifiedFile(_ connection: Connection, _ hash: String) async throws {
  do {
    _ = try await connection.download("image.iso", to: "/srv/image.iso", checksum: .sha256(hash))
  } catch let error as DownloadError {
    switch error.reason {
    case .checksumMismatch(_, let expected, let actual): print("expected", expected, "and got", actual)
    case .noSpace(let needed, let free): print(needed ?? 0, "bytes are needed,", free ?? 0, "are free")
    default: print(error)
    }
  }
}

func downloadedFiles(_ connection: Connection) async throws {
  let results = try await connection.downloads(
    ["a.iso", "b.iso", "c.iso"], to: "/srv", maximumConcurrent: 2,
    progress: { print($0.completed, "of", $0.count, $0.transfer.bytes, "bytes") })
  for result in results {
    do { print(try result.get().path) } catch { print(error) }
  }
}
