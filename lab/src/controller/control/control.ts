/** Controls of the simulator under `/_lab/`: JSON, no authentication; not in real controllers. */
import { buildHtmlReply } from "../api/replies.ts";
import type { Drift, DriftReport } from "../drift.ts";
import { FAULTS, FaultError, type Faults } from "../faults.ts";
import type { Reply } from "../http/reply.ts";
import type { LoadReport } from "../load.ts";
import type { StatsReport } from "../stats.ts";

export interface ControlParts {
	readonly drift: Drift;
	/** Of the member with this id; undefined if there is none. */
	readonly member: (id: number) => ControlledMember | undefined;
	/** The member that takes the request, where it names none. */
	readonly ownId: number;
	readonly load: (answer: unknown) => LoadReport;
	/** Puts the simulator back to where it started: objects, faults, sessions, counts. */
	readonly reset: () => void;
	readonly describe: () => Readonly<Record<string, unknown>>;
}

interface ControlledMember {
	readonly faults: Faults;
	readonly report: () => StatsReport;
}

export interface Control {
	handle(method: string, target: string, body: string): Reply;
	advance(options: AdvanceOptions): DriftReport;
}

export interface AdvanceOptions {
	/** Hours of drift; 1 when not given, at most 1000. */
	readonly steps?: number;
	/** Part of the objects that change in a step, 0…1; 0.01 when not given. */
	readonly change_rate?: number;
}

/** A request that cannot be carried out as it was put. */
class BadRequest extends Error {}

const MOST_STEPS = 1000;

export function createControl({ drift, member, ownId, load, reset, describe }: ControlParts): Control {
	function advanceDrift({ steps = 1, change_rate: rate = 0.01 }: AdvanceOptions): DriftReport {
		if (!Number.isInteger(steps) || steps < 0 || steps > MOST_STEPS)
			throw new BadRequest(`steps: expected a whole number from 0 to ${MOST_STEPS}`);
		if (typeof rate !== "number" || !(rate >= 0 && rate <= 1))
			throw new BadRequest("change_rate: expected a number from 0 to 1");
		return drift.advance(steps, rate);
	}

	/** `?member=2`, or the one that is asked. */
	function getMember(target: string): ControlledMember {
		const named = /[?&]member=([^&]*)/.exec(target)?.[1];
		const found = member(named === undefined ? ownId : Number(named));
		if (found === undefined) throw new BadRequest(`member: there is none with the id ${named}`);
		return found;
	}

	function setFaults(body: unknown, { faults }: ControlledMember): unknown {
		if (!isRecord(body)) throw new BadRequest("expected an object of faults");
		faults.set(body);
		return { faults: faults.list() };
	}

	const routes: ReadonlyMap<string, (body: unknown, about: ControlledMember) => unknown> = new Map<
		string,
		(body: unknown, about: ControlledMember) => unknown
	>([
		["GET /_lab/health", () => ({ status: "ok", ...describe() })],
		["GET /_lab/stats", (_body, { report }) => report()],
		["GET /_lab/faults", (_body, { faults }) => ({ faults: faults.list(), known: FAULTS })],
		["POST /_lab/faults", setFaults],
		[
			"POST /_lab/advance",
			(body: unknown) => {
				const found = advanceDrift(isRecord(body) ? body : {});
				const { changed, created, deleted, volatile } = found;
				return {
					...found,
					counts: {
						changed: changed.length,
						created: created.length,
						deleted: deleted.length,
						volatile: volatile.length,
					},
				};
			},
		],
		[
			"POST /_lab/reset",
			() => {
				reset();
				return { status: "ok", ...describe() };
			},
		],
		["POST /_lab/objects", (body: unknown) => load(body)],
	]);

	return {
		advance: advanceDrift,
		handle(method, target, body) {
			const route = routes.get(`${method} ${target.replace(/\?.*$/, "")}`);
			if (route === undefined) return buildHtmlReply(404);
			try {
				return buildJsonReply(200, route(body.trim() === "" ? {} : JSON.parse(body), getMember(target)));
			} catch (error) {
				if (
					error instanceof BadRequest ||
					error instanceof FaultError ||
					error instanceof SyntaxError ||
					error instanceof TypeError
				) {
					return buildJsonReply(400, { error: error.message });
				}
				throw error;
			}
		},
	};
}

function buildJsonReply(status: number, body: unknown): Reply {
	return { status, type: "application/json", body: JSON.stringify(body) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
