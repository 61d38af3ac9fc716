/** Files in deploy/ match the service: settings, folders, ports, paths, and metrics of alerts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../src/config.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const readText = (path: string): string => readFileSync(`${root}${path}`, "utf8");
const findMatches = (text: string, pattern: RegExp): string[] => [
	...new Set([...text.matchAll(pattern)].map(([all, part]) => part ?? all)),
];
const FILES = readdirSync(`${root}deploy`);
const readKubernetes = () => parseAllDocuments(readText("deploy/kubernetes.yaml")).map((document) => document.toJS());
const isMatch = (labels: Record<string, string>, selector: Record<string, string>): boolean =>
	Object.entries(selector).every(([name, value]) => labels[name] === value);
const container = readText("deploy/Containerfile");

describe("what is in deploy/", () => {
	it.each(FILES)("%s names settings that there are", (file) => {
		const names = findMatches(readText(`deploy/${file}`), /\bWEFT_[A-Z0-9_]+\b/g);
		expect(readConfig(Object.fromEntries(names.map((name) => [name, ""]))).unknown).toEqual([]);
	});

	it.each(FILES.filter((file) => /compose|kubernetes/.test(file)))(
		"%s gives roles and values that are valid",
		(file) => {
			const text = readText(`deploy/${file}`);
			const roles = findMatches(text, /WEFT_ROLES(?:,\s*value)?:\s*([a-z,]+)/g);
			expect(roles.sort()).toEqual(["web", "worker"]);
			for (const role of roles) expect(() => readConfig({ WEFT_ROLES: role })).not.toThrow();
			const values = [...text.matchAll(/^\s+(WEFT_[A-Z_]+): "?([\w./]+)"?$/gm)].map(([, name, value]) => [name, value]);
			expect(values.length).toBeGreaterThan(0);
			expect(() => readConfig(Object.fromEntries(values))).not.toThrow();
		},
	);

	it("builds the container from every workspace, and from nothing that is not there", () => {
		const copied = findMatches(container, /^COPY (?!--)(.+) \S+$/gm).flatMap((sources) => sources.split(" "));
		expect(copied.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
		const { workspaces } = JSON.parse(readText("package.json")) as { workspaces: string[] };
		expect(copied).toEqual(expect.arrayContaining([...workspaces, "scripts", "package-lock.json"]));
	});

	it("starts what the build makes", () => {
		const packed = "node_modules/@weft/server/dist/main.js";
		expect(container).toContain(`CMD ["node", "${packed}"]`);
		expect(readText("deploy/weft.service")).toContain(`/${packed}`);
		expect(readText("scripts/run.mjs")).toContain('start: () => runNode("server/bundle/main.js")');
	});

	it("asks for health and metrics where the service answers", () => {
		const port = /WEFT_METRICS_PORT: "(\d+)"/;
		expect(port.exec(readText("deploy/compose.yaml"))?.[1]).toBe("9464");
		for (const file of ["compose.yaml", "kubernetes.yaml"]) {
			const text = readText(`deploy/${file}`);
			expect(text).toContain("/metrics");
			expect(text).toContain(port.exec(text)?.[1] ?? "no port");
		}
		const served = JSON.parse(readText("docs/openapi.json")).paths;
		expect(served).toHaveProperty(["/api/health/"]);
		for (const file of ["Containerfile", "kubernetes.yaml"])
			expect(readText(`deploy/${file}`)).toContain("/api/health/");
	});

	it("has in Compose all that one machine needs", () => {
		const { services } = parse(readText("deploy/compose.yaml"), { merge: true });
		expect(Object.keys(services).sort()).toEqual(["postgres", "proxy", "redis", "web", "worker"]);
		for (const name of ["web", "worker"]) {
			expect(services[name]).toMatchObject({ read_only: true, cap_drop: ["ALL"], deploy: { replicas: 2 } });
		}
	});

	it("has in Kubernetes objects that fit one another, without rights", () => {
		const objects = parseAllDocuments(readText("deploy/kubernetes.yaml")).map((document) => {
			expect(document.errors).toEqual([]);
			return document.toJS();
		});
		for (const { apiVersion, kind, metadata } of objects) {
			expect([typeof apiVersion, typeof kind, metadata.name]).toEqual([
				"string",
				"string",
				expect.stringMatching(/^weft/),
			]);
		}
		const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
		const named = ofKind("ConfigMap").map(({ metadata }) => metadata.name);
		const secrets = ofKind("Secret").map(({ metadata }) => metadata.name);
		const pods = ofKind("Deployment").map(({ spec }) => spec);
		expect(pods.map(({ replicas }) => replicas)).toEqual([2, 2, 1]);
		for (const { selector, template } of pods) {
			expect(template.metadata.labels).toMatchObject(selector.matchLabels);
			expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
			const [container] = template.spec.containers;
			expect(container.securityContext).toMatchObject({
				allowPrivilegeEscalation: false,
				readOnlyRootFilesystem: true,
				capabilities: { drop: ["ALL"] },
			});
			for (const { configMapRef, secretRef } of container.envFrom ?? [])
				expect(configMapRef ? named : secrets).toContain((configMapRef ?? secretRef).name);
			for (const { valueFrom } of container.env.filter(({ valueFrom }: { valueFrom?: object }) => valueFrom))
				expect(secrets).toContain(valueFrom.secretKeyRef.name);
			const ports = container.ports.map((port: { name: string }) => port.name);
			for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
				const { httpGet, tcpSocket } = container[probe] ?? {};
				if (httpGet ?? tcpSocket) expect(ports).toContain((httpGet ?? tcpSocket).port);
			}
		}
		for (const { metadata, spec } of ofKind("Service")) {
			// A Service of another namespace selects pods that are not Weft's.
			if (metadata.namespace !== undefined) continue;
			const selected = pods.filter(({ template }) => isMatch(template.metadata.labels, spec.selector));
			expect(selected).toHaveLength(1);
			for (const { targetPort } of spec.ports)
				expect(selected[0].template.spec.containers[0].ports).toContainEqual(
					expect.objectContaining({ name: targetPort }),
				);
		}
	});

	it("starts without the first user's password, which only the first start needs", () => {
		const { services } = parse(readText("deploy/compose.yaml"), { merge: true });
		for (const name of ["web", "worker"])
			expect(services[name].environment.WEFT_ADMIN_PASSWORD).toBe("$" + "{WEFT_ADMIN_PASSWORD:-}");
		// Any process may be the first one, and makes the user.
		const optional = "name: weft-first-start, key: WEFT_ADMIN_PASSWORD, optional: true";
		expect(readText("deploy/kubernetes.yaml").split(optional)).toHaveLength(3);
	});

	it("asks for a password of Redis, in Compose and in Kubernetes", () => {
		const { services } = parse(readText("deploy/compose.yaml"), { merge: true });
		expect(services.web.environment.WEFT_REDIS_URL).toContain(":$" + "{REDIS_PASSWORD:?");
		expect(services.redis.command.join(" ")).toContain("--requirepass");

		const objects = readKubernetes();
		const [valkey] = objects.filter(({ kind, metadata }) => kind === "Deployment" && metadata.name === "weft-valkey");
		const secret = { name: "weft-valkey", key: "VALKEY_PASSWORD" };
		const [server] = valkey.spec.template.spec.containers;
		expect(server.command.join(" ")).toContain('--requirepass "$REDISCLI_AUTH"');
		expect(server.env).toEqual([{ name: "REDISCLI_AUTH", valueFrom: { secretKeyRef: secret } }]);
		for (const { spec } of objects.filter(({ kind, spec }) => kind === "Deployment" && spec.replicas === 2)) {
			const { env } = spec.template.spec.containers[0];
			const names = env.map(({ name }: { name: string }) => name);
			expect(names.indexOf("VALKEY_PASSWORD")).toBeLessThan(names.indexOf("WEFT_REDIS_URL"));
			expect(env).toContainEqual({ name: "VALKEY_PASSWORD", valueFrom: { secretKeyRef: secret } });
			const { value } = env.find(({ name }: { name: string }) => name === "WEFT_REDIS_URL");
			const url = value.replace("$" + "(VALKEY_PASSWORD)", "secret");
			expect(readConfig({ WEFT_REDIS_URL: url }).redisUrl).toBe("redis://:secret@weft-valkey:6379");
		}
	});

	it("lets only Weft's pods connect to Valkey", () => {
		const [policy] = readKubernetes().filter(
			({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "weft-valkey",
		);
		expect(policy.spec).toEqual({
			podSelector: { matchLabels: { app: "weft-valkey" } },
			policyTypes: ["Ingress", "Egress"],
			ingress: [{ from: [{ podSelector: { matchLabels: { app: "weft" } } }], ports: [{ port: "valkey" }] }],
			egress: [],
		});
	});

	it("trusts the pods of the ingress controller by the name of a Service that selects no others", () => {
		const objects = readKubernetes();
		const [service] = objects.filter(({ kind, metadata }) => kind === "Service" && metadata.namespace);
		const [{ data }] = objects.filter(({ kind }) => kind === "ConfigMap");
		const { name, namespace } = service.metadata;
		expect(readConfig(data).trustedProxies).toEqual([`${name}.${namespace}.svc.cluster.local`]);
		expect(service.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
		const [policy] = objects.filter(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "weft");
		expect(policy.spec.ingress[0].from).toEqual([
			{
				namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
				podSelector: { matchLabels: service.spec.selector },
			},
		]);
	});

	it("lets only the ingress controller and Prometheus connect to pods, by their names", () => {
		const [policy] = readKubernetes().filter(({ kind }) => kind === "NetworkPolicy");
		expect(policy.spec).toMatchObject({ podSelector: { matchLabels: { app: "weft" } }, policyTypes: ["Ingress"] });
		for (const { from, ports } of policy.spec.ingress) {
			expect(ports).toHaveLength(1);
			for (const peer of from) {
				expect(Object.keys(peer.namespaceSelector.matchLabels)).toHaveLength(1);
				expect(Object.keys(peer.podSelector.matchLabels)).toHaveLength(1);
			}
		}
	});

	it("alarms on metrics that there are, each explained", () => {
		const alarms = readText("deploy/alerts.yaml");
		const operations = readText("docs/operations.md");
		for (const name of findMatches(alarms, /alert: (\w+)/g)) expect(operations).toContain(`| ${name} |`);
		for (const metric of findMatches(alarms, /\bweft_\w+?(?=_(?:count|bucket|sum)\b|\b)/g))
			expect(operations).toContain(metric);
	});
});
