/* pthread.h - what core/frame.h names; nothing here has threads. */
typedef int pthread_mutex_t;
