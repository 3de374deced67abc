"""A virtual X display, and a user at it: windows are found, resized, closed and typed into by way of libX11 alone."""
import ctypes
import ctypes.util
import os
import subprocess
import time

KEY_PRESS, KEY_RELEASE, CLIENT_MESSAGE = 2, 3, 33
KEY_PRESS_MASK, KEY_RELEASE_MASK = 1, 2


class KeyEvent(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("root", ctypes.c_ulong), ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong),
                ("x", ctypes.c_int), ("y", ctypes.c_int), ("x_root", ctypes.c_int), ("y_root", ctypes.c_int),
                ("state", ctypes.c_uint), ("keycode", ctypes.c_uint), ("same_screen", ctypes.c_int)]


class MessageEvent(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
                ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5)]


class Event(ctypes.Union):
    _fields_ = [("key", KeyEvent), ("message", MessageEvent), ("room", ctypes.c_long * 24)]


class Display:
    """Xvfb on a free number, until end()."""

    def __init__(self, size="1000x700"):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
                                       pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as number:
            self.name = ":" + number.readline().strip()
        self.x = ctypes.CDLL(ctypes.util.find_library("X11"))
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XDefaultRootWindow.restype = ctypes.c_ulong
        self.x.XInternAtom.restype = ctypes.c_ulong
        self.x.XStringToKeysym.restype = ctypes.c_ulong
        self.x.XKeysymToKeycode.restype = ctypes.c_ubyte
        self.handle = ctypes.c_void_p(self.x.XOpenDisplay(self.name.encode()))
        self.root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.handle))

    def end(self):
        self.x.XCloseDisplay(self.handle)
        self.server.terminate()
        self.server.wait()

    def _title(self, window):
        name = ctypes.c_char_p()
        self.x.XFetchName(self.handle, ctypes.c_ulong(window), ctypes.byref(name))
        return (name.value or b"").decode()

    def window(self, title, timeout_s=60):
        """The window with this title once it is there, or None."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
            children = ctypes.POINTER(ctypes.c_ulong)()
            self.x.XQueryTree(self.handle, self.root, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
                              ctypes.byref(count))
            for i in range(count.value):
                if title in self._title(children[i]):
                    return children[i]
            time.sleep(0.05)
        return None

    def resize(self, window, width, height):
        self.x.XResizeWindow(self.handle, ctypes.c_ulong(window), width, height)
        self.x.XFlush(self.handle)

    def hide(self, window):
        self.x.XUnmapWindow(self.handle, ctypes.c_ulong(window))
        self.x.XFlush(self.handle)

    def show(self, window):
        self.x.XMapWindow(self.handle, ctypes.c_ulong(window))
        self.x.XFlush(self.handle)

    def _send_key(self, window, key, kind, mask):
        event = Event()
        event.key.type = kind
        event.key.display = self.handle
        event.key.window = window
        event.key.root = self.root
        event.key.same_screen = 1
        event.key.keycode = self.x.XKeysymToKeycode(self.handle, ctypes.c_ulong(self.x.XStringToKeysym(key.encode())))
        self.x.XSendEvent(self.handle, ctypes.c_ulong(window), 1, ctypes.c_long(mask), ctypes.byref(event))
        self.x.XFlush(self.handle)

    def press(self, window, key, seconds=0.0):
        """Holds a key, named as X names its symbol."""
        self._send_key(window, key, KEY_PRESS, KEY_PRESS_MASK)
        time.sleep(seconds)
        self._send_key(window, key, KEY_RELEASE, KEY_RELEASE_MASK)

    def close(self, window):
        """What a window manager sends when the user closes the window."""
        event = Event()
        event.message.type = CLIENT_MESSAGE
        event.message.window = window
        event.message.message_type = self.x.XInternAtom(self.handle, b"WM_PROTOCOLS", 0)
        event.message.format = 32
        event.message.data[0] = self.x.XInternAtom(self.handle, b"WM_DELETE_WINDOW", 0)
        self.x.XSendEvent(self.handle, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
        self.x.XFlush(self.handle)
