extension AdapterConformance {
  /// A new kind of rule is one line here and one file.
  static let groups: [ConformanceGroup] = [
    .methods, .headers, .responseHeaders, .targets, .requestBodies, .streamedUploads, .invalidBodies, .expectContinue, .duplex,
    .buffered, .streamedDownloads, .chunkCallback, .chunkTiming, .headCallback, .uploadProgress, .downloadProgress,
  ]
}
