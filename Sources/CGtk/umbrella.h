// GTK 4 and libadwaita, as C declares them. The version floor is what Debian 12 ships.
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8
#include <adwaita.h>
#include <gtk/gtk.h>
