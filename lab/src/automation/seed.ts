/** The initial objects: an organisation, inventories, credentials, job templates, workflows. */
import type { Ask, Survey, Template, TemplateNode, User } from "./types.ts";
import { BEHAVIOUR, buildUuid, type World, type WorldOptions } from "./world.ts";

export const ORGANIZATION = { id: 1, name: "Default", description: "" } as const;
export const PROJECT = { id: 8, name: "rig" } as const;
export const EXECUTION_ENVIRONMENT = {
	id: 1,
	name: "AWX EE (latest)",
	description: "",
	image: "quay.io/ansible/awx-ee:latest",
} as const;

const SURVEY: Survey = {
	name: "s",
	description: "d",
	spec: [
		{
			type: "text",
			question_name: "Tenant",
			question_description: "",
			variable: "tenant",
			required: true,
			min: 2,
			max: 8,
			default: "",
		},
		{
			type: "integer",
			question_name: "VLAN",
			question_description: "",
			variable: "vlan",
			required: false,
			min: 1,
			max: 4094,
			default: 100,
		},
		{
			type: "multiplechoice",
			question_name: "Env",
			question_description: "",
			variable: "env",
			required: true,
			choices: ["prod", "test"],
			default: "test",
		},
		{
			type: "password",
			question_name: "Secret",
			question_description: "",
			variable: "sec",
			required: false,
			default: "$encrypted$",
		},
	],
};

const TYPES: readonly [string, string, string | null, readonly string[]][] = [
	["Machine", "ssh", "ssh", ["username", "password*", "ssh_key_data*"]],
	["Source Control", "scm", "scm", ["username", "password*"]],
	["Vault", "vault", "vault", ["vault_password*"]],
	["Network", "net", "net", ["username", "password*"]],
	["Amazon Web Services", "cloud", "aws", ["username", "password*"]],
	["OpenStack", "cloud", "openstack", ["username", "password*"]],
	["VMware vCenter", "cloud", "vmware", ["host", "username", "password*"]],
	["Red Hat Satellite 6", "cloud", "satellite6", ["host", "username", "password*"]],
	["Google Compute Engine", "cloud", "gce", ["username", "ssh_key_data*"]],
	["Microsoft Azure Resource Manager", "cloud", "azure_rm", ["subscription", "secret*"]],
	["GitHub Personal Access Token", "token", "github_token", ["token*"]],
	["GitLab Personal Access Token", "token", "gitlab_token", ["token*"]],
	["Insights", "insights", "insights", ["username", "password*"]],
	["Red Hat Virtualization", "cloud", "rhv", ["host", "username", "password*"]],
	["Red Hat Ansible Automation Platform", "cloud", "controller", ["host", "username", "password*"]],
	["OpenShift or Kubernetes API Bearer Token", "kubernetes", "kubernetes_bearer_token", ["host", "bearer_token*"]],
	["Container Registry", "registry", "registry", ["host", "username", "password*"]],
	["Ansible Galaxy/Automation Hub API Token", "galaxy", "galaxy_api_token", ["url", "token*"]],
	["Fabric controller", "net", null, ["host", "username", "password*"]],
];

export function createWorld(options: WorldOptions): World {
	const world: World = {
		time: options.time,
		behaviour: { ...BEHAVIOUR, ...options.behaviour },
		version: options.version,
		installUuid: buildUuid(`install:${options.seed}`),
		profile: options.profile,
		uiUrl: options.uiUrl,
		users: [],
		tokens: [],
		inventories: new Map(),
		credentials: new Map(),
		credentialTypes: new Map(),
		templates: new Map(),
		approvals: new Map(),
		jobs: new Map(),
		updateOutputs: new Map(),
		recordings: new Map(),
		notificationTemplates: new Map(),
		notifications: [],
		ids: { job: 1, event: 1, node: 1, notification: 1, token: 1, template: 30 },
		born: options.time.now(),
		seed: options.seed,
	};
	seedWorld(world, options);
	return world;
}

const addToken = (world: World, text: string, user: User, scope: "read" | "write") =>
	world.tokens.push({
		id: world.ids.token++,
		text,
		user,
		scope,
		description: "lab",
		created: world.born,
		revoked: false,
	});

const addCredential = (
	world: World,
	id: number,
	name: string,
	type: number,
	kind: string,
	more: Record<string, unknown> = {},
) =>
	world.credentials.set(id, {
		id,
		name,
		type,
		kind,
		managed: false,
		organization: 1,
		asks: false,
		created: world.born,
		inputs: { username: "u", password: "$encrypted$" },
		...more,
	});

const buildNode = (
	id: number,
	identifier: string,
	template: number,
	more: Partial<TemplateNode> = {},
): TemplateNode => ({
	id,
	identifier,
	template,
	success: [],
	failure: [],
	always: [],
	extra: {},
	...more,
});

function seedUsers(world: World, options: WorldOptions): void {
	const admin: User = {
		id: 1,
		username: options.username,
		password: options.password,
		superuser: true,
		auditor: false,
		execute: "all",
	};
	const auditor: User = {
		id: 4,
		username: "auditor",
		password: "auditor-password",
		superuser: false,
		auditor: true,
		execute: [],
	};
	world.users.push(
		admin,
		{ id: 2, username: "nobody", password: "nobody-password", superuser: false, auditor: false, execute: [] },
		{
			id: 3,
			username: "launcher",
			password: "launcher-password",
			superuser: false,
			auditor: false,
			execute: [9, 10, 17],
		},
		auditor,
	);

	addToken(world, options.token, admin, "write");
	addToken(world, `${options.token}-read`, admin, "read");
	addToken(world, `${options.token}-auditor`, auditor, "write");
}

function seedInventories(world: World): void {
	const { born } = world;
	world.inventories.set(1, { id: 1, name: "Demo Inventory", created: born, hosts: [] });
	const hosts = ["leaf101", "leaf102", "dead1"].map((name, at) => ({ id: at + 2, name }));
	world.inventories.set(2, { id: 2, name: "DC1 switches", created: born, hosts });
}

function seedCredentials(world: World): void {
	for (const [at, [name, kind, namespace, fields]] of TYPES.entries()) {
		const id = at + 1;
		world.credentialTypes.set(id, { id, name, kind, namespace, created: world.born, inputs: getInputs(fields) });
	}
	addCredential(world, 1, "Demo Credential", 1, "ssh", { organization: null, inputs: { username: "admin" } });
	addCredential(world, 2, "Ansible Galaxy", 18, "galaxy_api_token", {
		organization: null,
		managed: true,
		inputs: { url: "https://galaxy.ansible.com/" },
	});
	addCredential(world, 3, "m2", 1, "ssh");
	addCredential(world, 4, "asks", 1, "ssh", { asks: true, inputs: { username: "u", password: "ASK" } });
}

function seedTemplates(world: World): void {
	const asking: Ask[] = ["variables", "limit", "job_type", "inventory", "credential"];
	addTemplate(world, { id: 7, name: "Demo Job Template", playbook: "hello_world.yml", inventory: 1, credentials: [1] });
	addTemplate(world, { id: 9, name: "Rows", playbook: "rows.yml", limit: "leaf101,leaf102", asks: new Set(asking) });
	addTemplate(world, { id: 10, name: "Sleep", playbook: "sleep.yml", asks: new Set<Ask>(["variables"]) });
	addTemplate(world, { id: 11, name: "Big", playbook: "big.yml" });
	addTemplate(world, { id: 12, name: "Odd", playbook: "odd.yml" });
	addTemplate(world, { id: 13, name: "Syntax", playbook: "syntax.yml", limit: "" });
	addTemplate(world, {
		id: 14,
		name: "Unreach",
		playbook: "rows.yml",
		limit: "dead1,leaf101",
		asks: new Set<Ask>(["variables"]),
	});
	addTemplate(world, { id: 15, name: "Strict", playbook: "rows.yml" });
	addTemplate(world, { id: 16, name: "Survey", playbook: "rows.yml", survey: SURVEY, surveyEnabled: true });

	addTemplate(world, {
		id: 17,
		kind: "workflow",
		name: "WF",
		asks: new Set<Ask>(["variables"]),
		nodes: [
			buildNode(1, "a", 9, { success: [2], failure: [3], extra: { rows: [{ name: "n1" }] } }),
			buildNode(2, "b", 12, { always: [4] }),
			buildNode(3, "c", 13),
			buildNode(4, "d", 12),
		],
	});
	addTemplate(world, { id: 18, kind: "workflow", name: "WF2", nodes: [buildNode(5, "fails", 13)] });
	world.approvals.set(20, "ok?");
	addTemplate(world, {
		id: 19,
		kind: "workflow",
		name: "WF3",
		asks: new Set<Ask>(["variables"]),
		nodes: [buildNode(6, "ap", 20, { success: [7] }), buildNode(7, "after", 12)],
	});
	addTemplate(world, {
		id: 21,
		name: "Chatty",
		playbook: "chatty.yml",
		simultaneous: true,
		asks: new Set<Ask>(["variables", "job_type"]),
	});
	addTemplate(world, {
		id: 22,
		name: "Configure the fabric",
		playbook: "rows.yml",
		simultaneous: true,
		limit: "leaf101",
		asks: new Set(asking),
	});
	addTemplate(world, {
		id: 23,
		name: "Sliced",
		playbook: "rows.yml",
		simultaneous: true,
		limit: "leaf101,leaf102",
		sliceCount: 2,
		asks: new Set(asking),
	});
}

function seedWorld(world: World, options: WorldOptions): void {
	seedUsers(world, options);
	seedInventories(world);
	seedCredentials(world);
	seedTemplates(world);
}

/** A template with what it leaves out as AWX would have it. */
export function addTemplate(world: World, given: Partial<Template> & Pick<Template, "id" | "name">): Template {
	const workflow = given.kind === "workflow";
	const template: Template = {
		kind: "job",
		created: world.born,
		description: "",
		playbook: "",
		inventory: workflow ? null : 2,
		limit: "leaf101",
		jobType: "run",
		verbosity: 0,
		extraVars: "",
		asks: new Set(),
		survey: null,
		surveyEnabled: false,
		simultaneous: false,
		sliceCount: 1,
		credentials: [],
		nodes: [],
		notify: { started: [], success: [], error: [] },
		...given,
	};
	world.templates.set(template.id, template);
	return template;
}

function getInputs(fields: readonly string[]) {
	const described = fields.map((name) => {
		const id = name.replace("*", "");
		return { id, label: id, type: "string", ...(name.endsWith("*") ? { secret: true } : {}) };
	});
	return { fields: described, required: described.slice(0, 1).map(({ id }) => id) };
}
