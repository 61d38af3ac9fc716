/** Constants of objects as files. */

export const APPLY_LIMITS = {
	files: 5_000,
	pathLength: 500,
	/** Characters of one file. */
	fileLength: 1024 * 1024,
	/** Bytes of a request. */
	body: 32 * 1024 * 1024,
	/** Bytes of a request with one file. */
	fileBody: 8 * 1024 * 1024,
	/** Errors of an answer, and of one file in it. */
	errors: 200,
	errorsPerFile: 20,
} as const;

export const FILE_KINDS = ["query", "schedule", "check", "connection", "change_plan", "calendar_entry"] as const;
export type FileKind = (typeof FILE_KINDS)[number];
export const FILE_ACTIONS = ["created", "updated", "unchanged", "deleted"] as const;
