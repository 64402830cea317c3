import FaradayCache
import Foundation

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/faraday-cache-" + UUID().uuidString
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The files below it, by their whole paths.
  var files: [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.contains("/") }.map { path + "/" + $0 }
  }

  func mode(_ file: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int ?? 0
  }

  func setAge(_ seconds: Double, of file: String) throws {
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: file)
  }
}
