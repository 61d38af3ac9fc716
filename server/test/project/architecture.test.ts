/** The rules of the layout: who may import whom. Proves first that it sees the files and catches a planted violation. */
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

const posix = (path: string): string => path.split(sep).join("/");

function sourcesOf(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|fixture)\.tsx?$/.test(entry.name))
		.map((entry) => posix(relative(root, join(entry.parentPath, entry.name))))
		.sort();
}

const IMPORT =
	/^\s*(?:import|export)\s+(type\s+)?(?:[\w*{},\s]+?\s+from\s+)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;

function importsOf(file: string, text: string): Import[] {
	return [...text.matchAll(IMPORT)].map(([, type, specifier, dynamic]) => {
		const target = specifier ?? dynamic ?? "";
		const to = target.startsWith(".") ? posix(relative(root, resolve(root, dirname(file), target))) : target;
		return { from: file, to, typeOnly: type !== undefined };
	});
}

const FEATURE = /^server\/src\/features\/([^/]+)\//;
const featureOf = (path: string): string | undefined => FEATURE.exec(path)?.[1];

/** Which feature may use which other, through its index.ts. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
	// Only to compare usernames as signing in does.
	audit: ["auth"],
	"model-registry": ["model"],
	automation: ["automation-connections", "automation-executions", "automation-requests", "automation-templates"],
	"automation-executions": ["automation-connections"],
	"automation-requests": ["automation-connections", "automation-executions", "automation-templates"],
	"background-runs": ["pipelines", "saved-queries", "time-machine"],
	pipelines: ["saved-queries"],
	schedules: ["pipelines", "saved-queries"],
	// Only for the condition of who sees a query, within statements of its own.
	"time-machine": ["saved-queries"],
};

/** Packages that only adapters may import; what the platform builds on is not among them. */
const DRIVERS = [
	"pg",
	"undici",
	"ioredis",
	"pg-boss",
	"@node-rs/argon2",
	"@zxcvbn-ts/language-common",
	"nodemailer",
	"ldapts",
	"prom-client",
	"pg-copy-streams",
];
const LAYER = ["domain", "policy|present|repo", "service", "routes|jobs|channels", "index"];

function layerOf(path: string): number {
	if (path.includes("/domain/")) return 0;
	const name = path.slice(path.lastIndexOf("/") + 1);
	const found = LAYER.findIndex((names, level) => level > 0 && new RegExp(`^(${names})(-[\\w-]+)?\\.ts$`).test(name));
	// Other files of a feature are helpers of its services.
	return found === -1 ? 2 : found;
}

/** Each broken rule as a sentence. */
function violations(imports: readonly Import[]): string[] {
	const found: string[] = [];
	for (const { from, to, typeOnly } of imports) {
		const say = (rule: string) => found.push(`${from} imports ${to}: ${rule}`);
		const test = /\/(testing|harness)[\w-]*\.ts$/.test(from);
		if (from.startsWith("contracts/") && to !== "zod" && !to.startsWith("contracts/")) say("contracts know zod only");
		if (from.startsWith("lab/") && /^(server\/|@weft\/(server|contracts|sdk))/.test(to))
			say("the lab knows nothing of the service");
		if (from.startsWith("sdk/") && /^(server\/|lab\/|@weft\/(server|lab))/.test(to))
			say("the client knows the contracts only");
		if (from.startsWith("web/src/") && /^(server\/|lab\/|sdk\/|contracts\/|@weft\/(server|lab))/.test(to))
			say("the UI is a client of the API like any other");
		if (!from.startsWith("server/src/")) continue;
		if (to === "@weft/lab" && from !== "server/src/demo.ts" && !from.startsWith("server/src/demo/") && !test)
			say("the service knows nothing of the lab");
		if (
			DRIVERS.some((driver) => to === driver || to.startsWith(`${driver}/`)) &&
			!from.startsWith("server/src/adapters/") &&
			!typeOnly
		) {
			say("only adapters import drivers");
		}
		if (from.startsWith("server/src/ports/") && /^server\/src\/(adapters|features)\//.test(to))
			say("ports are interfaces");
		if (from.startsWith("server/src/platform/") && /^server\/src\/(adapters|features)\//.test(to))
			say("the platform knows no business");
		if (from.startsWith("server/src/adapters/") && to.startsWith("server/src/features/"))
			say("adapters implement ports");
		const feature = featureOf(from);
		if (feature === undefined) continue;
		if (to.startsWith("server/src/adapters/") && !test) say("features see ports only");
		if (/^server\/src\/(app|main|open|service|config)\.ts$/.test(to)) say("features do not know who composes them");
		const other = featureOf(to);
		if (other !== undefined && other !== feature) {
			if (!to.endsWith("/index.ts")) say("features reach each other through index.ts");
			if (!EDGES[feature]?.includes(other)) say("this edge is not in the table");
		}
		if (other === feature && layerOf(to) > layerOf(from) && !typeOnly) say("imports point from routes to domain");
		if (from.includes("/domain/") && /^(node:(fs|net|http|timers|child_process)|fastify|kysely)/.test(to))
			say("the domain is pure");
	}
	return found;
}

/** Files that reach themselves through runtime imports. */
function cycles(imports: readonly Import[]): string[] {
	const edges = new Map<string, string[]>();
	for (const { from, to, typeOnly } of imports) {
		if (!typeOnly && /\.tsx?$/.test(to)) edges.set(from, [...(edges.get(from) ?? []), to]);
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

const files = ["contracts/src", "sdk/src", "server/src", "lab/src", "bench/src", "web/src"].flatMap(sourcesOf);
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), "utf8")));

describe("architecture", () => {
	it("is looked at: the files and their imports are seen", () => {
		expect(files).toContain("server/src/app.ts");
		expect(imports).toContainEqual({
			from: "server/src/service.ts",
			to: "server/src/app.ts",
			typeOnly: false,
		});
		expect(imports.length).toBeGreaterThan(files.length);
	});

	it("catches planted violations", () => {
		const plant = (from: string, text: string) => violations(importsOf(from, text)).length;
		expect(plant("server/src/features/auth/service.ts", 'import pg from "pg";')).toBe(1);
		expect(plant("server/src/features/auth/repo.ts", 'import { x } from "./routes.ts";')).toBe(1);
		expect(plant("server/src/features/auth/service.ts", 'import { x } from "../audit/repo.ts";')).toBe(2);
		expect(plant("server/src/platform/errors.ts", 'import { x } from "../features/auth/index.ts";')).toBe(1);
		expect(plant("server/src/features/auth/domain/x.ts", 'import { y } from "../service.ts";')).toBe(1);
		expect(plant("lab/src/index.ts", 'import { x } from "@weft/contracts";')).toBe(1);
		expect(plant("contracts/src/auth.ts", 'import { x } from "fastify";')).toBe(1);
		expect(plant("web/src/platform/x.ts", 'import { x } from "../../../server/src/config.ts";')).toBe(1);
		expect(plant("web/src/platform/x.ts", 'import { x } from "@weft/lab";')).toBe(1);
		const circle = [...importsOf("a.ts", 'import "./b.ts";'), ...importsOf("b.ts", 'export * from "./a.ts";')];
		expect(cycles(circle)).toHaveLength(1);
	});

	it("holds", () => expect(violations(imports)).toEqual([]));

	it("has no import cycles", () => expect(cycles(imports)).toEqual([]));

	it("reads the environment in config.ts only", () => {
		const readers = files
			.filter((file) => file.startsWith("server/src/") && /process\.env\b/.test(readFileSync(join(root, file), "utf8")))
			.filter((file) => !/^server\/src\/(main|admin|demo)\.ts$/.test(file));
		expect(readers.filter((file) => !file.startsWith("server/src/adapters/embedded-postgres/"))).toEqual([]);
	});
});
