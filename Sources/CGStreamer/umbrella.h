// GStreamer's core and its app, audio and video helper libraries, as C declares them; 1.22 and later.
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#if !GST_CHECK_VERSION(1, 22, 0)
#error "PhotoMe needs GStreamer 1.22 or later"
#endif
