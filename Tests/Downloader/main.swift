import Faraday
import FaradayCurl
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// `downloader URL PATH SHA256` downloads a file, and goes on with what an earlier one has left. It prints how many bytes were resumed.
// Tests kill it.

guard CommandLine.arguments.count == 4 else {
  print("usage: downloader URL PATH SHA256")
  exit(2)
}
do {
  let connection = try Connection(CommandLine.arguments[1], adapter: CurlAdapter())
  let download = try await connection.download(to: CommandLine.arguments[2], checksum: .sha256(CommandLine.arguments[3]))
  print(download.resumed)
} catch {
  print("downloader: \(error)")
  exit(1)
}
