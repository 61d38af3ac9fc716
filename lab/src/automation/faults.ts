/** What can be made to go wrong, each so many times and on the paths that match. */

/** What each fault does; `when` tells whether a launch under it still makes the job. */
export const AUTOMATION_FAULTS = {
	launch_500_created: "POST launch makes the job and answers 500",
	launch_lost: "POST launch makes the job and drops the connection without an answer",
	launch_refused: "POST launch drops the connection and makes nothing",
	launch_hang: "POST launch makes the job and never answers",
	launch_late: "POST launch drops the connection; the job is made after `ms`",
	launch_html: "POST launch answers `status` with HTML; `created` says whether the job is made",
	launch_garbled: "POST launch makes the job and answers 201 with half a body",
	server_error: "500 of the application",
	html_error: "`status` with an HTML page, as a proxy in front does",
	hang: "no answer at all",
	migrations: "302 to the page of a server that migrates its database",
	throttle: "429 with Retry-After `seconds`",
	too_large: "413 of a proxy",
	reset: "the connection is dropped",
	truncated: "an answer that stops half way",
	database_down: "500 for everything, ping too",
	not_json: "200 with HTML",
	answer: "`status` with the JSON `body`",
} as const;
export type AutomationFault = keyof typeof AUTOMATION_FAULTS;

interface FaultOptions {
	/** How often; for ever where absent. */
	readonly times?: number;
	/** Part of the path and query; every path where absent. */
	readonly match?: string;
	/** Of the methods; every one where absent. */
	readonly method?: string;
	readonly status?: number;
	readonly created?: boolean;
	readonly seconds?: number;
	readonly ms?: number;
	readonly body?: unknown;
	readonly [other: string]: unknown;
}
export type AutomationFaults = Partial<Record<AutomationFault, FaultOptions | null>>;

export interface Faults {
	/** @throws Error naming the known faults for an unknown one */
	set(settings: Readonly<Record<string, unknown>>): void;
	clear(): void;
	/** The fault's options where it strikes now. */
	fire(name: AutomationFault, method: string, target: string): FaultOptions | null;
	list(): Readonly<Record<string, unknown>>;
}

export function createFaults(): Faults {
	const active = new Map<AutomationFault, { options: FaultOptions; left: number }>();
	return {
		set(settings) {
			for (const [name, options] of Object.entries(settings)) {
				if (!Object.hasOwn(AUTOMATION_FAULTS, name)) {
					throw new Error(`unknown fault ${name}; known are ${Object.keys(AUTOMATION_FAULTS).join(", ")}`);
				}
				const key = name as AutomationFault;
				if (options === null || options === false) active.delete(key);
				else {
					const given = (options === true ? {} : options) as FaultOptions;
					active.set(key, { options: given, left: given.times ?? Number.POSITIVE_INFINITY });
				}
			}
		},
		clear: () => active.clear(),
		fire(name, method, target) {
			const found = active.get(name);
			if (found === undefined || found.left <= 0) return null;
			if (found.options.match !== undefined && !target.includes(found.options.match)) return null;
			if (found.options.method !== undefined && found.options.method !== method) return null;
			found.left--;
			return found.options;
		},
		list: () =>
			Object.fromEntries(
				[...active]
					.filter(([, { left }]) => left > 0)
					.map(([name, { options, left }]) => [name, { ...options, left: Number.isFinite(left) ? left : null }]),
			),
	};
}
