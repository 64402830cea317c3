extension AdapterConformance {
  /// A new kind of rule is one line here and one file.
  static let groups: [ConformanceGroup] = [
    .methods, .headers, .responseHeaders, .targets, .requestBodies, .streamedUploads, .invalidBodies, .expectContinue,
    .duplex, .buffered, .streamedDownloads, .chunkCallback, .chunkTiming, .headCallback,
    .uploadProgress, .downloadProgress, .compression, .encodedBodies, .informational, .trailers, .idleTimeout, 
    .totalTimeout, .connectTimeout, .timeoutExtremes, .cancellation, .malformedResponses, .statusLines, .bodyFraming,
    .chunkFraming, .statuses, .connectionReuse, .cleanConnections, 
    .concurrency, .errors, .backpressure, .metrics, .tls, .http2, 
  ]
}
