import Faraday

/// A store with the file that it is read from and written to.
struct StoreFile<Store: FileStore>: Sendable {
  let store: Store
  private let path: String

  /// Reads the file. One that is not there, or cannot be read, is empty, as with curl.
  init(_ store: Store, path: String) {
    self.store = store
    self.path = path
    if !path.isEmpty { _ = try? store.read(from: path) }
  }

  func write() throws {
    if !path.isEmpty { try store.write(to: path) }
  }
}

/// A store that has a file.
protocol FileStore: Sendable {
  func read(from path: String) throws -> [Int]
  func write(to path: String) throws
}

extension HSTSStore: FileStore {}
extension AltSvcStore: FileStore {}
