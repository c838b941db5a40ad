/* Doubles numbers through the generated launch function. The driver that the test loads computes in the memory of the host. */
#include "scale.h"

#include <stdio.h>

int main(void) {
  static float numbers[256] __attribute__((aligned(16)));
  for (int i = 0; i < 256; ++i)
    numbers[i] = (float)i;
  const int grid[3] = {1, 1, 1};
  tlxrt_status status = scale_launch(0, grid, numbers, 100);
  if (status != TLXRT_SUCCESS) {
    fprintf(stderr, "scale: %s: %s\n", tlxrt_status_string(status), tlxrt_last_error());
    return 3;
  }
  for (int i = 0; i < 256; ++i)
    if (numbers[i] != (float)(i < 100 ? 2 * i : i))
      return printf("number %d is %g\n", i, numbers[i]), 1;
  printf("scale: %d threads, %d images, as it should be\n", scale_threads, scale_image_count);
  return 0;
}
