import CMalloc

/// The bytes that are allocated now, in all threads, with what the allocator adds to each block.
func allocatedBytes() -> Int {
  #if os(Linux)
    let information = mallinfo2()
    return Int(information.uordblks) + Int(information.hblkhd)
  #else
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return Int(statistics.size_in_use)
  #endif
}
