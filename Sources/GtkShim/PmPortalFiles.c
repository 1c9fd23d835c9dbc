// Files handed to the desktop's portal.

#include "PmPortalFiles.h"

/// Makes a request with the descriptors in `files`, which is taken over.
static PmPortalRequest *make(PmPortalCall call, GtkWindow *window, GUnixFDList *files, PmPortalAnswer answer,
                             void *data, void (*release)(void *data)) {
  call.has_parent = TRUE;
  call.parent = window;
  call.files = files;
  PmPortalRequest *request = pm_portal_request_make(call, answer, data, release);
  g_object_unref(files);
  return request;
}

/// The list's copies of the descriptors. One that can't be copied, because the program has too many, is left out: the call
/// then fails with the number that it lacks.
static GUnixFDList *files_of(const int *descriptors, int count) {
  GUnixFDList *files = g_unix_fd_list_new();
  for (int index = 0; index < count; index++) g_unix_fd_list_append(files, descriptors[index], NULL);
  return files;
}

PmPortalRequest *pm_portal_open(GtkWindow *window, int descriptor, PmPortalOpening opening, PmPortalAnswer answer,
                                void *data, void (*release)(void *data)) {
  GVariantDict options;
  g_variant_dict_init(&options, NULL);
  if (opening != PM_PORTAL_SHOW) g_variant_dict_insert(&options, "ask", "b", opening == PM_PORTAL_OPEN_WITH);
  PmPortalCall call = {
      .interface = "org.freedesktop.portal.OpenURI",
      .method = opening == PM_PORTAL_SHOW ? "OpenDirectory" : "OpenFile",
      .name = "open",
      .arguments = g_variant_new("(h)", 0),
      .options = g_variant_dict_end(&options),
  };
  return make(call, window, files_of(&descriptor, 1), answer, data, release);
}

PmPortalRequest *pm_portal_compose_email(GtkWindow *window, const int *descriptors, int count, PmPortalAnswer answer,
                                         void *data, void (*release)(void *data)) {
  GVariantBuilder attachments;
  g_variant_builder_init(&attachments, G_VARIANT_TYPE("ah"));
  for (int index = 0; index < count; index++) g_variant_builder_add(&attachments, "h", index);
  GVariantDict options;
  g_variant_dict_init(&options, NULL);
  g_variant_dict_insert_value(&options, "attachment_fds", g_variant_builder_end(&attachments));
  PmPortalCall call = {
      .interface = "org.freedesktop.portal.Email",
      .method = "ComposeEmail",
      .name = "email",
      .options = g_variant_dict_end(&options),
  };
  return make(call, window, files_of(descriptors, count), answer, data, release);
}

PmPortalRequest *pm_portal_set_background(GtkWindow *window, int descriptor, PmPortalAnswer answer, void *data,
                                          void (*release)(void *data)) {
  GVariantDict options;
  g_variant_dict_init(&options, NULL);
  g_variant_dict_insert(&options, "show-preview", "b", TRUE);
  g_variant_dict_insert(&options, "set-on", "s", "background");
  PmPortalCall call = {
      .interface = "org.freedesktop.portal.Wallpaper",
      .method = "SetWallpaperFile",
      .name = "background",
      .arguments = g_variant_new("(h)", 0),
      .options = g_variant_dict_end(&options),
  };
  return make(call, window, files_of(&descriptor, 1), answer, data, release);
}
