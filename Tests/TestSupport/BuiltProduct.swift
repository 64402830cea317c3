package import Foundation

/// A program of this package, for tests that run it.
package enum BuiltProduct {
  /// There is no such program beside the tests.
  package struct NotBuilt: Error {}

  /// Where the program is: in a folder above the test bundle, or beside it.
  package static func named(_ name: String) throws -> URL {
    let starts = [CommandLine.arguments.first, Bundle.main.executablePath, Bundle.main.bundlePath].compactMap { $0 }
    for start in starts {
      var folder = URL(fileURLWithPath: start).resolvingSymlinksInPath()
      while folder.path.count > 1 {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent(name)
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue,
          FileManager.default.isExecutableFile(atPath: candidate.path)
        {
          return candidate
        }
      }
    }
    throw NotBuilt()
  }
}
