// The shared file arrives next.
