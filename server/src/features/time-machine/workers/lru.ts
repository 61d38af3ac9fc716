/** Keeps what was used last, up to a number of bytes. */
export interface Lru<Value> {
	get(key: string): Value | undefined;
	/** Takes it in, unless it alone is more than all may be. */
	set(key: string, value: Value, bytes: number): void;
}

export function createLru<Value>(limit: number): Lru<Value> {
	const entries = new Map<string, { value: Value; bytes: number }>();
	let held = 0;
	function remove(key: string): void {
		held -= entries.get(key)?.bytes ?? 0;
		entries.delete(key);
	}
	return {
		get(key) {
			const entry = entries.get(key);
			if (entry === undefined) return undefined;
			entries.delete(key);
			entries.set(key, entry);
			return entry.value;
		},
		set(key, value, bytes) {
			remove(key);
			if (bytes > limit) return;
			entries.set(key, { value, bytes });
			held += bytes;
			for (const oldest of entries.keys()) {
				if (held <= limit) break;
				remove(oldest);
			}
		},
	};
}
