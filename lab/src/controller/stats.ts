/** What the simulator was asked: counts for tests that check how many requests a client needs. */
export interface RequestRecord {
	readonly method: string;
	readonly target: string;
	readonly status: number;
}

export interface StatsReport {
	readonly requests: number;
	/** By form: mo, class, aaaLogin, aaaRefresh, write, delete … */
	readonly kinds: Readonly<Record<string, number>>;
	readonly statuses: Readonly<Record<string, number>>;
	readonly logins: number;
	readonly sessions: number;
	readonly objects: number;
	readonly concurrent: number;
	readonly maxConcurrent: number;
	readonly bytesSent: number;
	readonly faults: Readonly<Record<string, number>>;
	/** The last requests, oldest first. */
	readonly last: readonly RequestRecord[];
}

export interface Stats {
	begin(): void;
	kind(name: string): void;
	end(record: RequestRecord, bytes: number): void;
	reset(): void;
	report(more: Pick<StatsReport, "sessions" | "objects" | "faults">): StatsReport;
}

const KEPT = 200;

export function createStats(): Stats {
	let kinds = new Map<string, number>();
	let statuses = new Map<string, number>();
	let last: RequestRecord[] = [];
	let counts = { requests: 0, concurrent: 0, maxConcurrent: 0, bytesSent: 0 };
	const bump = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
	return {
		begin() {
			counts.requests++;
			counts.concurrent++;
			counts.maxConcurrent = Math.max(counts.maxConcurrent, counts.concurrent);
		},
		kind: (name) => void bump(kinds, name),
		end(record, bytes) {
			counts.concurrent--;
			counts.bytesSent += bytes;
			bump(statuses, String(record.status));
			last.push(record);
			if (last.length > KEPT) last.shift();
		},
		reset() {
			kinds = new Map();
			statuses = new Map();
			last = [];
			counts = { requests: 0, concurrent: counts.concurrent, maxConcurrent: counts.concurrent, bytesSent: 0 };
		},
		report: (more) => ({
			requests: counts.requests,
			kinds: Object.fromEntries(kinds),
			statuses: Object.fromEntries(statuses),
			logins: kinds.get("aaaLogin") ?? 0,
			concurrent: counts.concurrent,
			maxConcurrent: counts.maxConcurrent,
			bytesSent: counts.bytesSent,
			last: [...last],
			...more,
		}),
	};
}
