/** Requests of 200 users in a working day in proportion: mostly lists, some changes, few runs. */

export interface World {
	readonly tokens: readonly string[];
	/** Queries that everybody sees, with their owner's token. */
	readonly owned: readonly { readonly token: string; readonly id: string }[];
	/** Runs that have ended, with their owner's token. */
	readonly jobs: readonly { readonly token: string; readonly id: string }[];
	readonly snapshotIds: readonly string[];
	readonly connectionId: string;
}

export interface Planned {
	readonly name: string;
	readonly method: "GET" | "POST" | "PATCH";
	readonly path: string;
	readonly token: string;
	readonly body?: string;
}

/** Answers numbers from 0 to below 1. */
export type Random = () => number;

const CANVAS = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };

type Make = (
	world: World,
	pick: <T>(list: readonly T[]) => T,
	random: Random,
) => Omit<Planned, "name" | "token"> & { readonly token?: string };

const getPathOfRun = ({ id, token }: { id: string; token: string }, part: string) => ({
	method: "GET" as const,
	path: `/api/queries/pipeline-executions/${id}/${part}`,
	token,
});
const buildGet = (path: string) => ({ method: "GET" as const, path });

/** Weight in a thousand, and the request. */
const MIX: Readonly<Record<string, readonly [number, Make]>> = {
	"own profile": [80, () => buildGet("/api/auth/profile/")],
	"saved queries": [
		170,
		(_, __, random) => buildGet(`/api/queries/saved-queries/?page=${1 + Math.floor(random() * 10)}`),
	],
	"saved queries, search": [
		60,
		(_, __, random) => buildGet(`/api/queries/saved-queries/?search=query%20${Math.floor(random() * 900)}`),
	],
	"one saved query": [150, (world, pick) => buildGet(`/api/queries/saved-queries/${pick(world.owned).id}/`)],
	categories: [40, () => buildGet("/api/queries/categories/")],
	connections: [60, () => buildGet("/api/controller/connections/")],
	runs: [80, () => buildGet("/api/queries/pipeline-executions/")],
	"one run": [90, (world, pick) => getPathOfRun(pick(world.jobs), "")],
	"rows of a run": [40, (world, pick) => getPathOfRun(pick(world.jobs), "results/")],
	schedules: [40, () => buildGet("/api/queries/scheduled-tasks/")],
	"next runs": [20, () => buildGet("/api/queries/scheduled-tasks/upcoming/")],
	snapshots: [
		60,
		(world, pick) => buildGet(`/api/time-machine/snapshots/?saved_query_id=${pick(world.owned.slice(0, 20)).id}`),
	],
	heatmap: [
		20,
		(world, pick) => buildGet(`/api/time-machine/heatmap/?saved_query_id=${pick(world.owned.slice(0, 20)).id}`),
	],
	"execution logs": [30, () => buildGet("/api/queries/execution-logs/")],
	"socket ticket": [10, () => ({ method: "POST", path: "/api/ws-ticket/" })],
	compare: [
		10,
		({ snapshotIds }, _, random) => {
			const at = Math.floor(random() * (snapshotIds.length / 2)) * 2;
			const body = { snapshot_from_id: snapshotIds[at], snapshot_to_id: snapshotIds[at + 1] };
			return { method: "POST", path: "/api/time-machine/compare/", body: JSON.stringify(body) };
		},
	],
	"save a query": [
		20,
		(world, pick, random) => {
			const { id, token } = pick(world.owned);
			const body = JSON.stringify({ description: `changed ${random()}` });
			return { method: "PATCH", path: `/api/queries/saved-queries/${id}/`, token, body };
		},
	],
	favourite: [
		10,
		(world, pick) => ({ method: "POST", path: `/api/queries/saved-queries/${pick(world.owned).id}/favorite/` }),
	],
	run: [
		10,
		({ connectionId }) => ({
			method: "POST",
			path: "/api/queries/pipeline-executions/",
			body: JSON.stringify({ flow_data: CANVAS, controller_connection_id: connectionId }),
		}),
	],
};

const TOTAL = Object.values(MIX).reduce((sum, [weight]) => sum + weight, 0);

/** The next request of a random user. */
export function planRequest(world: World, random: Random): Planned {
	const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
	let left = random() * TOTAL;
	for (const [name, [weight, make]] of Object.entries(MIX)) {
		left -= weight;
		if (left < 0) return { name, token: pick(world.tokens), ...make(world, pick, random) };
	}
	throw new Error("The weights do not add up.");
}
