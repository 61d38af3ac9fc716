/** A running PostgreSQL server, whichever way it came about. */

export interface Connection {
	/** A folder holding the Unix socket, or an address. */
	host: string;
	port: number;
	user: string;
	password?: string;
	database: string;
}

/**
 * fast: ends all sessions, writes everything and exits. immediate: exits at once, the next start
 * recovers. kill: the last resort.
 */
export type ShutdownMode = "fast" | "immediate" | "kill";

export interface Server {
	pid: number;
	connection: Connection;
	running(): Promise<boolean>;
	shutdown(mode: ShutdownMode): Promise<void>;
}

/** What differs between systems. */
export interface Installation {
	/** Makes the data folder of PostgreSQL unless it is there. */
	initialise(): Promise<void>;
	/**
	 * The live server on the data folder, if there is one. Throws when one answers that cannot be
	 * managed from here.
	 */
	find(): Promise<Server | undefined>;
	/** Starts a server; it may still refuse the folder and exit. */
	start(): Promise<Server>;
	/** Removes what can keep a server from starting though no server runs. */
	repair(): Promise<void>;
}

const patience: [ShutdownMode, number][] = [
	["fast", 10_000],
	["immediate", 8_000],
	["kill", 2_000],
];

/**
 * Asks for a fast shutdown, then with less and less patience. Throws when the server outlives all
 * of it.
 */
export async function shutDown(server: Server): Promise<void> {
	for (const [mode, milliseconds] of patience) {
		if (!(await server.running())) return;
		await server.shutdown(mode);
		if (await hasEndedWithin(server, milliseconds)) return;
	}
	throw new Error(`PostgreSQL (process ${server.pid}) does not end`);
}

/** Whether the server ends within the time. */
export async function hasEndedWithin(server: Server, milliseconds: number): Promise<boolean> {
	const giveUp = performance.now() + milliseconds;
	while (await server.running()) {
		if (performance.now() > giveUp) return false;
		await sleepMs(5);
	}
	return true;
}

export function sleepMs(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
