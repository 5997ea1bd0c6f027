/* Calls on files. Failed ones changed nothing and are not told. */
#ifndef AGENTSIGHT_FILES_H
#define AGENTSIGHT_FILES_H

static __always_inline u32 kind_of(long nr)
{
	switch (nr) {
#ifdef NR_open
	case NR_open:
	case NR_creat:
#endif
	case NR_openat:
	case NR_openat2:
		return K_OPEN;
#ifdef NR_unlink
	case NR_unlink:
	case NR_rmdir:
#endif
	case NR_unlinkat:
		return K_DELETE;
#ifdef NR_rename
	case NR_rename:
#endif
	case NR_renameat:
	case NR_renameat2:
		return K_RENAME;
#ifdef NR_mkdir
	case NR_mkdir:
#endif
	case NR_mkdirat:
		return K_MKDIR;
#ifdef NR_link
	case NR_link:
#endif
	case NR_linkat:
		return K_LINK;
#ifdef NR_symlink
	case NR_symlink:
#endif
	case NR_symlinkat:
		return K_SYMLINK;
	case NR_truncate:
	case NR_ftruncate:
		return K_TRUNCATE;
	case NR_connect:
		return K_CONNECT;
	case NR_accept:
	case NR_accept4:
		return K_ACCEPT;
	case NR_bind:
		return K_BIND;
	case NR_sendto:
	case NR_sendmsg:
	case NR_sendmmsg:
	case NR_recvfrom:
	case NR_recvmsg:
		return K_DNS;
	case NR_io_uring_setup:
		return K_IO_URING;
	}
	return 0;
}

static __always_inline int file_call(struct pt_regs *regs, long ret, long nr, u32 kind, u32 tgid, struct proc *p,
				     struct task_struct *task)
{
	int from_dir = AT_FDCWD_, to_dir = AT_FDCWD_;
	const char *from = 0, *to = 0;
	struct scratch *s;
	u32 off = 0;

	if (ret < 0)
		return 0;
	if (kind == K_IO_URING) {
		if (p->said & 1)
			return 0;
		p->said |= 1;
	}
	s = begin(kind, tgid, p);
	if (!s)
		return 0;
	s->head.ret = ret;
	if (kind == K_IO_URING) {
		emit(s, 0);
		return 0;
	}
	if (kind == K_OPEN || nr == NR_ftruncate) {
		struct file *file = file_of(task, kind == K_OPEN ? ret : (int)ARG0(regs));

		if (!file)
			return 0; /* another thread closed it already */
		s->head.a = BPF_CORE_READ(file, f_flags);
		s->head.b = BPF_CORE_READ(file, f_mode);
		s->head.c = BPF_CORE_READ(file, f_inode, i_mode);
		if (nr == NR_ftruncate)
			s->head.flags |= F_IS_DIR;
		/* O_TRUNC, O_CREAT and O_EXCL are not kept in f_flags: they are read from the call. */
#ifdef NR_open
		if (nr == NR_open)
			s->head.a |= ARG1(regs) & 01300;
		if (nr == NR_creat)
			s->head.a |= 01100;
#endif
		if (nr == NR_openat)
			s->head.a |= ARG2(regs) & 01300;
		if (nr == NR_openat2) {
			u64 how = 0;

			bpf_probe_read_user(&how, sizeof(how), (void *)ARG2(regs));
			s->head.a |= how & 01300;
		}
		off = section_path(s, 0, off, BPF_CORE_READ(file, f_path.dentry), BPF_CORE_READ(file, f_path.mnt));
		emit(s, off);
		return 0;
	}
	switch (nr) {
#ifdef NR_unlink
	case NR_rmdir:
		s->head.flags |= F_IS_DIR;
	case NR_unlink:
	case NR_mkdir:
#endif
	case NR_truncate:
		from = (void *)ARG0(regs);
		break;
	case NR_unlinkat:
		if (ARG2(regs) & AT_REMOVEDIR_)
			s->head.flags |= F_IS_DIR;
	case NR_mkdirat:
		from_dir = ARG0(regs);
		from = (void *)ARG1(regs);
		break;
#ifdef NR_rename
	case NR_rename:
	case NR_link:
		from = (void *)ARG0(regs);
		to = (void *)ARG1(regs);
		break;
	case NR_symlink:
		to = (void *)ARG1(regs);
		break;
#endif
	case NR_symlinkat:
		to_dir = ARG1(regs);
		to = (void *)ARG2(regs);
		break;
	case NR_renameat2:
		s->head.a = ARG4(regs); /* 2 = RENAME_EXCHANGE */
	case NR_renameat:
	case NR_linkat:
		from_dir = ARG0(regs);
		from = (void *)ARG1(regs);
		to_dir = ARG2(regs);
		to = (void *)ARG3(regs);
		break;
	}
	if (from) {
		off = put_base(s, 0, off, task, from_dir);
		off = put_user_str(s, 1, off, from);
	}
	if (kind == K_SYMLINK) /* what the link says is text, not a path from here */
		off = put_user_str(s, 1, off, (void *)ARG0(regs));
	if (to) {
		off = put_base(s, 2, off, task, to_dir);
		off = put_user_str(s, 3, off, to);
	}
	emit(s, off);
	return 0;
}

#endif
