/** Rules of the layout: allowed imports and no cycles. Also proves that it detects violations. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

interface Import {
	/** Paths from the repository's root, with forward slashes; packages by name. */
	readonly from: string;
	readonly to: string;
	readonly typeOnly: boolean;
}

const toPosixPath = (path: string): string => path.split(sep).join("/");

function getSources(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|fixture)\.tsx?$/.test(entry.name))
		.map((entry) => toPosixPath(relative(root, join(entry.parentPath, entry.name))))
		.sort();
}

const IMPORT =
	/^\s*(?:import|export)\s+(type\s+)?(?:[\w*{},\s]+?\s+from\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;

function listImports(file: string, text: string): Import[] {
	return [...text.matchAll(IMPORT)].map(([, type, specifier, dynamic]) => {
		const target = specifier ?? dynamic ?? "";
		const to = target.startsWith(".") ? toPosixPath(relative(root, resolve(root, dirname(file), target))) : target;
		return { from: file, to, typeOnly: type !== undefined };
	});
}

/** Areas whose parts have places of their own in the order. */
const PARTS = "accounts/(?:sign-in|users)|model/imports|queries/(?:flow|saved)|runs/(?:pipelines|background|groups)";
const AREA = new RegExp(`^server/src/areas/(${PARTS}|[^/]+)/`);
const WEB_PARTS = "(?:accounts|answers|queries|fabrics)/[^/]+|model/imports|runs/grid";
const WEB_AREA = new RegExp(`^web/src/areas/(${WEB_PARTS}|[^/]+)/`);
/** Files of the contracts that need no schema: the browser runs them. */
const PLAIN =
	/^contracts\/src\/((.+\/)?(paths|values|window-span|evidence-words)|browser|decimal|exact-json|junit|slug|spreadsheet)\.ts$/;
/** Programs that run without the contracts' schemas, because loading them costs time and bytes. */
const WITHOUT_SCHEMAS = /^(web|cli|sdk)\/src\/(?!contracts\.ts$)/;
const IN_BROWSER = /^(web|sdk)\/src\/(?!contracts\.ts$)/;
const getArea = (path: string): string | undefined => AREA.exec(path)?.[1];

/** The areas in the order in which they may import each other: each those before it. */
const ORDER = [
	"accounts/sign-in",
	"accounts/users",
	"fabrics",
	"calendar",
	"model",
	"model/imports",
	"queries/flow",
	"queries/saved",
	"runs/pipelines",
	"runs/background",
	"runs/groups",
	"history",
	"schedules",
	"checks",
	"answers",
	"automation",
	"windows",
	"files",
	"recording",
	"notifications",
	"audit",
	"overview",
];

/** Whether the first area may import the second one. */
const mayUse = (area: string, other: string): boolean => ORDER.indexOf(other) < ORDER.indexOf(area);

/** Which area of the web UI may use which other. */
const WEB_EDGES: Readonly<Record<string, readonly string[]>> = {
	// Rows of a request that come from a comparison, its query, its launch time, and the changes that
	// its rows declare.
	automation: ["calendar", "checks", "history", "windows"],
	"answers/changes": ["history"],
	"answers/gallery": ["checks", "fabrics/groups", "runs/grid"],
	"answers/objects": ["answers/changes", "checks", "history"],
	"queries/builder": ["checks", "fabrics/groups", "history", "runs", "runs/grid"],
	checks: ["calendar", "runs/grid"],
	"fabrics/groups": ["history", "runs/grid"],
	"accounts/sign-in": ["accounts/me"],
	"accounts/me": ["accounts/people", "schedules"],
	// The first setup opens the forms of other areas.
	overview: ["accounts/people", "answers/changes", "automation", "fabrics/connections", "runs"],
	"accounts/people": ["audit"],
	runs: ["runs/grid"],
	schedules: ["calendar", "checks", "fabrics/groups"],
	// The month, which both show, and conditions on rows.
	windows: ["calendar", "checks"],
	settings: ["automation", "notifications", "queries/builder"],
	history: ["checks", "runs/grid"],
};

/** Areas that write tables of another one. */
const SHARED_TABLES: Readonly<Record<string, readonly string[]>> = {
	// The retention of the audit log deletes sign-in attempts.
	audit: ["accounts"],
	// One file has the SQL of connections to controllers and to automation servers.
	fabrics: ["automation"],
};

/** Packages that only storage, integrations and core/system may import. Fastify is free. */
const DRIVERS = [
	"pg",
	"undici",
	"ioredis",
	"pg-boss",
	"@node-rs/argon2",
	"@zxcvbn-ts/language-common",
	"nodemailer",
	"ldapts",
	"openid-client",
	"prom-client",
	"pg-copy-streams",
];
/** Code with drivers: the store, other systems, the process. */
const OUTER = /^server\/src\/(storage|integrations|core\/system)\//;
const PORT = /^server\/src\/integrations\/[^/]+\/port(-[\w-]+)?\.ts$/;
const LAYER = ["rules", "policy|present|sql", "use cases", "routes|jobs|channels", "index"];

function getLayer(path: string): number {
	if (path.includes("/rules/")) return 0;
	if (path.includes("/sql/")) return 1;
	const name = path.slice(path.lastIndexOf("/") + 1);
	const found = LAYER.findIndex((names, level) => level > 0 && new RegExp(`^(${names})(-[\\w-]+)?\\.ts$`).test(name));
	// Other files of an area are use cases and their helpers.
	return found === -1 ? 2 : found;
}

/** The folders of automation's jobs in the order in which they may import each other. */
const JOB_FOLDERS = ["rules", "sql", "request", "launch", "follow"];
const getJobFolder = (path: string): number =>
	JOB_FOLDERS.indexOf(/^server\/src\/areas\/automation\/jobs\/([^/]+)\//.exec(path)?.[1] ?? "");

/** Each broken rule as a sentence. */
function findViolations(imports: readonly Import[]): string[] {
	const found: string[] = [];
	for (const { from, to, typeOnly } of imports) {
		const say = (rule: string) => found.push(`${from} imports ${to}: ${rule}`);
		if (from.startsWith("contracts/") && to !== "zod" && !to.startsWith("contracts/")) say("contracts know zod only");
		if (PLAIN.test(from) && !PLAIN.test(to)) say("addresses and constants of the contracts need no schema");
		if (WITHOUT_SCHEMAS.test(from) && !typeOnly && /^@weft\/(sdk\/)?contracts$/.test(to))
			say("values come from @weft/contracts/browser, which has no schemas");
		if (IN_BROWSER.test(from) && !typeOnly && to === "zod") say("the browser loads no schemas");
		if (from.startsWith("lab/") && /^(server\/|@weft\/(server|contracts|sdk))/.test(to))
			say("the lab knows nothing of the service");
		if (from.startsWith("sdk/") && /^(server\/|lab\/|@weft\/(server|lab))/.test(to))
			say("the client knows the contracts only");
		if (from.startsWith("cli/") && /^(server\/|lab\/|web\/|sdk\/|contracts\/|@weft\/(server|lab|web))/.test(to))
			say("the command line is a client of the API like any other");
		if (from.startsWith("web/src/") && /^(server\/|lab\/|sdk\/|contracts\/|@weft\/(server|lab))/.test(to))
			say("the UI is a client of the API like any other");
		const [screen, otherScreen] = [from, to].map((path) => WEB_AREA.exec(path)?.[1]);
		if (screen && otherScreen && screen !== otherScreen && !WEB_EDGES[screen]?.includes(otherScreen))
			say("this edge is not in the table");
		if (!from.startsWith("server/src/")) continue;
		if (/^@weft\/(lab|sdk|cli|demo)$/.test(to)) say("the service knows neither its clients nor the lab");
		if (DRIVERS.some((driver) => to === driver || to.startsWith(`${driver}/`)) && !OUTER.test(from) && !typeOnly) {
			say("only storage, integrations and core/system import drivers");
		}
		if (
			from.startsWith("server/src/core/ports/") &&
			to.startsWith("server/src/") &&
			!to.startsWith("server/src/core/ports/")
		)
			say("ports are interfaces");
		if (from.startsWith("server/src/core/") && /^server\/src\/(storage|integrations|areas)\//.test(to))
			say("the core knows neither storage, integrations nor areas");
		if (OUTER.test(from) && to.startsWith("server/src/areas/")) say("storage and integrations know no areas");
		const area = getArea(from);
		if (area === undefined) continue;
		// The file of a worker thread composes what the thread needs, as main.ts does for the process.
		const isThread = /\/workers\/[\w-]+-worker\.ts$/.test(from);
		if (OUTER.test(to) && !PORT.test(to) && !isThread) say("areas see the ports of storage and integrations");
		if (/^server\/src\/(?!context\.ts$)[^/]+\.ts$/.test(to)) say("areas import only context.ts of the root");
		const other = getArea(to);
		if (other !== undefined && other !== area && !mayUse(area, other)) {
			say("an area imports from those before it");
		}
		if (other === area && getLayer(to) > getLayer(from) && !typeOnly) say("imports point from routes to rules");
		if (getJobFolder(from) !== -1 && getJobFolder(to) > getJobFolder(from))
			say("a job is requested, launched, then followed");
		if (from.includes("/rules/") && /^(node:(fs|net|http|timers|child_process)|fastify|kysely)/.test(to))
			say("rules are pure");
	}
	return found;
}

/** Declared edges of the web UI that no import uses. */
function listUnusedEdges(imports: readonly Import[]): string[] {
	const formatEdge = (area?: string, other?: string) => `${area} → ${other}`;
	const used = new Set(imports.map(({ from, to }) => formatEdge(WEB_AREA.exec(from)?.[1], WEB_AREA.exec(to)?.[1])));
	const declared = Object.entries(WEB_EDGES).flatMap(([area, others]) =>
		others.map((other) => formatEdge(area, other)),
	);
	return declared.filter((edge) => !used.has(edge));
}

/** Files that reach themselves through their imports, those of types included. */
function findCycles(imports: readonly Import[]): string[] {
	const edges = new Map<string, string[]>();
	for (const { from, to } of imports) {
		if (/\.tsx?$/.test(to)) edges.set(from, [...(edges.get(from) ?? []), to]);
	}
	const done = new Set<string>();
	const found: string[] = [];
	const visit = (file: string, path: readonly string[]): void => {
		if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" → "));
		if (done.has(file) || path.includes(file)) return;
		for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
		done.add(file);
	};
	for (const file of edges.keys()) visit(file, []);
	return found;
}

/** The top folder of an area: its parts own their tables together. */
const getOwner = (path: string): string | undefined => /^server\/src\/areas\/([^/]+)\//.exec(path)?.[1];

/** The tables that an area's `tables.ts` declares. */
function listDeclaredTables(text: string): string[] {
	const body = /interface Schema \{([^}]*)\}/.exec(text)?.[1] ?? "";
	return [...body.matchAll(/(\w+):/g)].flatMap(([, name]) => name ?? []);
}

const WRITE =
	/(?:insertInto|updateTable|deleteFrom)\(\s*"(\w+)(?: as \w+)?"|\b(?:insert into|update|delete from) (\w+)\b/g;
const CAST_WRITE = /(?:insertInto|updateTable|deleteFrom)\(castTable\(/;

/** Names of tables that a file writes. `castTable` may stand for each name that the file quotes. */
function listWrittenTables(text: string): string[] {
	const named = [...text.matchAll(WRITE)].map(([, built, raw]) => built ?? raw ?? "");
	const quoted = CAST_WRITE.test(text) ? [...text.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "") : [];
	return [...new Set([...named, ...quoted])];
}

/** Each write of a table that another area owns, as a sentence. */
function listForeignWrites(path: string, text: string, owners: ReadonlyMap<string, string>): string[] {
	const area = getOwner(path);
	if (area === undefined) return [];
	return listWrittenTables(text).flatMap((table) => {
		const owner = owners.get(table);
		if (owner === undefined || owner === area || SHARED_TABLES[area]?.includes(owner)) return [];
		return [`${path} writes ${table}, which ${owner} owns`];
	});
}

const files = [
	"contracts/src",
	"sdk/src",
	"cli/src",
	"server/src",
	"lab/src",
	"demo/src",
	"bench/src",
	"web/src",
].flatMap(getSources);
const imports = files.flatMap((file) => listImports(file, readFileSync(join(root, file), "utf8")));

describe("architecture", () => {
	it("is read from the imports of all files", () => {
		expect(files).toContain("server/src/app.ts");
		expect(imports).toContainEqual({
			from: "server/src/service.ts",
			to: "server/src/app.ts",
			typeOnly: false,
		});
		expect(imports.length).toBeGreaterThan(files.length);
		expect([...new Set(files.flatMap((file) => getArea(file) ?? []))].toSorted()).toEqual(ORDER.toSorted());
	});

	it("catches planted violations", () => {
		const plant = (from: string, text: string) => findViolations(listImports(from, text)).length;
		expect(plant("server/src/areas/accounts/sign-in/manage-own-account.ts", 'import pg from "pg";')).toBe(1);
		expect(plant("server/src/areas/accounts/sign-in/sql/sign-in.ts", 'import { x } from "../routes.ts";')).toBe(1);
		expect(plant("server/src/areas/audit/read-audit-log.ts", 'import { x } from "../../storage/redis/redis.ts";')).toBe(
			1,
		);
		expect(
			plant("server/src/areas/audit/read-audit-log.ts", 'import { x } from "../../integrations/awx/read.ts";'),
		).toBe(1);
		expect(
			plant("server/src/areas/audit/read-audit-log.ts", 'import type { X } from "../../integrations/awx/port.ts";'),
		).toBe(0);
		expect(plant("server/src/storage/redis/x.ts", 'import { x } from "../../areas/audit/sql/writing.ts";')).toBe(1);
		expect(plant("server/src/core/x.ts", 'import { x } from "../storage/redis/redis.ts";')).toBe(1);
		expect(
			plant(
				"server/src/areas/accounts/sign-in/manage-own-account.ts",
				'import { x } from "../../audit/read-audit-log.ts";',
			),
		).toBe(1);
		expect(
			plant(
				"server/src/areas/accounts/sign-in/manage-own-account.ts",
				'import { x } from "../../audit/sql/entries.ts";',
			),
		).toBe(1);
		expect(
			plant("server/src/areas/audit/read-audit-log.ts", 'import { x } from "../accounts/sign-in/create-sessions.ts";'),
		).toBe(0);
		expect(plant("server/src/core/errors.ts", 'import { x } from "../areas/accounts/sign-in/index.ts";')).toBe(1);
		expect(plant("server/src/areas/accounts/sign-in/rules/x.ts", 'import { y } from "../manage-users.ts";')).toBe(1);
		expect(plant("server/src/areas/accounts/sign-in/rules/x.ts", 'import { y } from "node:fs";')).toBe(1);
		expect(plant("server/src/areas/audit/read-audit-log.ts", 'import { x } from "../../settings.ts";')).toBe(1);
		expect(plant("server/src/areas/audit/read-audit-log.ts", 'import { x } from "../../context.ts";')).toBe(0);
		expect(plant("server/src/core/ports/store.ts", 'import { x } from "../errors.ts";')).toBe(1);
		expect(plant("server/src/core/x.ts", 'import { x } from "@weft/lab";')).toBe(1);
		expect(plant("sdk/src/x.ts", 'import { x } from "@weft/server";')).toBe(1);
		expect(plant("lab/src/index.ts", 'import { x } from "@weft/contracts";')).toBe(1);
		expect(plant("contracts/src/checks/shapes.ts", 'import { x } from "fastify";')).toBe(1);
		expect(plant("contracts/src/checks/values.ts", 'import * as z from "zod";')).toBe(1);
		expect(plant("contracts/src/checks/paths.ts", 'import { x } from "./shapes.ts";')).toBe(1);
		expect(plant("contracts/src/browser.ts", 'export * from "./checks/shapes.ts";')).toBe(1);
		expect(plant("contracts/src/browser.ts", 'export * from "./checks/values.ts";')).toBe(0);
		expect(plant("web/src/platform/x.ts", 'import { type Check, checkRoutes } from "@weft/contracts";')).toBe(1);
		expect(plant("web/src/platform/x.ts", 'import type { Check } from "@weft/contracts";')).toBe(0);
		expect(plant("cli/src/x.ts", 'const { check } = await import("@weft/contracts");')).toBe(1);
		expect(plant("sdk/src/x.ts", 'import * as z from "zod";')).toBe(1);
		expect(plant("web/src/platform/x.ts", 'import { x } from "../../../server/src/config.ts";')).toBe(1);
		expect(plant("web/src/platform/x.ts", 'import { x } from "@weft/lab";')).toBe(1);
		expect(plant("cli/src/x.ts", 'import { x } from "../../server/src/config.ts";')).toBe(1);
		expect(plant("web/src/areas/runs/x.ts", 'import { x } from "../queries/builder/store.ts";')).toBe(1);
		const [request, follow] = ["request/x.ts", "follow/x.ts"].map((path) => `server/src/areas/automation/jobs/${path}`);
		expect(plant(request ?? "", 'import { x } from "../launch/x.ts";')).toBe(1);
		expect(plant(request ?? "", 'import type { X } from "../follow/x.ts";')).toBe(1);
		expect(plant(follow ?? "", 'import { x } from "../request/x.ts";')).toBe(0);
		const typeCircle = [
			...listImports("a.ts", 'import type { B } from "./b.ts";'),
			...listImports("b.ts", 'import type { A } from "./a.ts";'),
		];
		expect(findCycles(typeCircle)).toHaveLength(1);
		const circle = [...listImports("a.ts", 'import "./b.ts";'), ...listImports("b.ts", 'export * from "./a.ts";')];
		expect(findCycles(circle)).toHaveLength(1);
	});

	it("allows only the declared imports", () => expect(findViolations(imports)).toEqual([]));

	it("declares only edges of the web UI that an import uses", () => {
		expect(listUnusedEdges([])).toContain("history → checks");
		expect(listUnusedEdges(imports)).toEqual([]);
	});

	it("lets areas write their own tables only", () => {
		const owners = new Map<string, string>();
		for (const file of files.filter((path) => /^server\/src\/areas\/.+\/tables\.ts$/.test(path))) {
			for (const table of listDeclaredTables(readFileSync(join(root, file), "utf8")))
				owners.set(table, getOwner(file) ?? "");
		}
		expect(owners.get("saved_queries")).toBe("queries");
		const plant = (text: string) => listForeignWrites("server/src/areas/schedules/x.ts", text, owners);
		expect(plant('db.updateTable("saved_queries")')).toHaveLength(1);
		expect(plant('db.updateTable("saved_queries as q")')).toHaveLength(1);
		const type = 'type OwnedTable = "scheduled_tasks" | "saved_queries";';
		expect(plant(`${type} db.deleteFrom(castTable(table))`)).toHaveLength(1);
		const found = files.flatMap((file) => listForeignWrites(file, readFileSync(join(root, file), "utf8"), owners));
		expect(found).toEqual([]);
	});

	it("has no import cycles", () => expect(findCycles(imports)).toEqual([]));

	it("lets only the programs and the embedded PostgreSQL read the environment", () => {
		const readers = files
			.filter((file) => file.startsWith("server/src/") && /process\.env\b/.test(readFileSync(join(root, file), "utf8")))
			.filter((file) => !/^server\/src\/(main|admin)\.ts$/.test(file));
		expect(readers.filter((file) => !file.startsWith("server/src/storage/embedded-postgres/"))).toEqual([]);
	});
});
