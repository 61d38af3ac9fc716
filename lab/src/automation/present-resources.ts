/** Inventories, credentials, users, tokens and notifications as the simulated server shows them. */

import {
	buildLinks,
	buildRoles,
	by,
	byAdmin,
	type Json,
	presentInventoryReference,
	presentUserRef,
	ROOT,
} from "./present.ts";
import { ORGANIZATION } from "./seed.ts";
import { formatTimestamp } from "./time.ts";
import type {
	Credential,
	CredentialType,
	Inventory,
	Notification,
	NotificationTemplate,
	Token,
	User,
} from "./types.ts";
import type { World } from "./world.ts";

export function presentInventory(world: World, inventory: Inventory): Json {
	const base = `${ROOT}inventories/${inventory.id}/`;
	const {
		id: _id,
		name: _name,
		description: _text,
		organization_id: _organization,
		...totals
	} = presentInventoryReference(world, inventory.id) ?? {};
	return {
		id: inventory.id,
		type: "inventory",
		url: base,
		related: {
			named_url: `${ROOT}inventories/${inventory.name}++Default/`,
			...by,
			...buildLinks(
				base,
				"hosts variable_data script activity_stream job_templates ad_hoc_commands access_list object_roles instance_groups copy labels groups root_groups update_inventory_sources inventory_sources tree",
			),
			organization: `${ROOT}organizations/1/`,
		},
		summary_fields: {
			organization: ORGANIZATION,
			...byAdmin,
			object_roles: buildRoles("inventory", "Admin Update Adhoc Use Read", inventory.id * 8),
			user_capabilities: { edit: true, delete: true, copy: true, adhoc: true },
			labels: { count: 0, results: [] },
		},
		created: formatTimestamp(inventory.created, inventory.id),
		modified: formatTimestamp(inventory.created, inventory.id),
		name: inventory.name,
		description: "",
		organization: 1,
		host_filter: null,
		variables: "",
		...totals,
		pending_deletion: false,
		prevent_instance_group_fallback: false,
	};
}

export function presentCredential(world: World, credential: Credential): Json {
	const base = `${ROOT}credentials/${credential.id}/`;
	const type = world.credentialTypes.get(credential.type);
	const owned = credential.organization !== null;
	return {
		id: credential.id,
		type: "credential",
		url: base,
		related: {
			...by,
			...(owned ? { organization: `${ROOT}organizations/1/` } : {}),
			...buildLinks(base, "activity_stream access_list object_roles owner_users owner_teams copy input_sources"),
			credential_type: `${ROOT}credential_types/${credential.type}/`,
			...(owned || credential.managed ? {} : { user: `${ROOT}users/1/` }),
			...(owned ? { named_url: `${ROOT}credentials/${credential.name}++Machine+ssh++Default/` } : {}),
		},
		summary_fields: {
			...(owned ? { organization: ORGANIZATION } : {}),
			credential_type: { id: credential.type, name: type?.name ?? "", description: "" },
			...byAdmin,
			object_roles: buildRoles("credential", "Admin Use Read", credential.id * 8),
			user_capabilities: { edit: !credential.managed, delete: !credential.managed, copy: true, use: true },
			owners: credential.managed ? [] : [getOwner(owned)],
		},
		created: formatTimestamp(credential.created, credential.id),
		modified: formatTimestamp(credential.created, credential.id),
		name: credential.name,
		description: "",
		organization: credential.organization,
		credential_type: credential.type,
		managed: credential.managed,
		inputs: credential.inputs,
		kind: credential.kind,
		cloud: false,
		kubernetes: false,
	};
}

const getOwner = (organization: boolean): Json =>
	organization
		? { ...ORGANIZATION, type: "organization", url: `${ROOT}organizations/1/` }
		: { id: 1, type: "user", name: "admin", description: " ", url: `${ROOT}users/1/` };

export function presentCredentialType(type: CredentialType): Json {
	const base = `${ROOT}credential_types/${type.id}/`;
	return {
		id: type.id,
		type: "credential_type",
		url: base,
		related: buildLinks(base, "credentials activity_stream"),
		summary_fields: { user_capabilities: { edit: true, delete: true } },
		created: formatTimestamp(type.created, type.id),
		modified: formatTimestamp(type.created, type.id),
		name: type.name,
		description: "",
		kind: type.kind,
		namespace: type.namespace,
		managed: type.namespace !== null,
		inputs: type.inputs,
		injectors: {},
	};
}

export function presentUser(user: User, born: number): Json {
	const base = `${ROOT}users/${user.id}/`;
	return {
		id: user.id,
		type: "user",
		url: base,
		related: buildLinks(
			base,
			"teams organizations admin_of_organizations projects credentials roles activity_stream access_list tokens authorized_tokens personal_tokens",
		),
		summary_fields: { user_capabilities: { edit: true, delete: false } },
		created: formatTimestamp(born, user.id),
		modified: null,
		username: user.username,
		first_name: "",
		last_name: "",
		email: `${user.username}@localhost`,
		is_superuser: user.superuser,
		is_system_auditor: false,
		password: "$encrypted$",
		ldap_dn: "",
		last_login: null,
		external_account: null,
		auth: [],
	};
}

export function presentToken(token: Token, shown: boolean): Json {
	const base = `${ROOT}tokens/${token.id}/`;
	return {
		id: token.id,
		type: "o_auth2_access_token",
		url: base,
		related: { user: `${ROOT}users/${token.user.id}/`, activity_stream: `${base}activity_stream/` },
		summary_fields: { user: presentUserRef(token.user) },
		created: formatTimestamp(token.created, token.id),
		modified: formatTimestamp(token.created, token.id + 1),
		description: token.description,
		user: token.user.id,
		token: shown ? token.text : "************",
		refresh_token: null,
		application: null,
		expires: formatTimestamp(token.created + 31_536_000_000_000, token.id),
		scope: token.scope,
	};
}

export function presentNotificationTemplate(
	template: NotificationTemplate,
	sent: readonly Notification[],
	fresh = false,
): Json {
	const base = `${ROOT}notification_templates/${template.id}/`;
	const configuration = {
		url: template.url,
		http_method: template.method,
		disable_ssl_verification: false,
		username: template.username,
		password: template.password === "" ? "" : "$encrypted$",
		headers: template.headers,
	};
	const recent = fresh ? [] : sent.slice(-5).reverse();
	return {
		id: template.id,
		type: "notification_template",
		url: base,
		related: {
			named_url: `${ROOT}notification_templates/${template.name}++Default/`,
			...by,
			...buildLinks(base, "test notifications copy"),
			organization: `${ROOT}organizations/1/`,
		},
		summary_fields: {
			organization: ORGANIZATION,
			...byAdmin,
			user_capabilities: { edit: true, delete: true, copy: true },
			recent_notifications: recent.map((one) => ({
				id: one.id,
				status: one.status,
				created: formatTimestamp(one.created, one.id),
				error: one.error,
			})),
		},
		created: formatTimestamp(template.created, template.id),
		modified: formatTimestamp(template.created, template.id),
		name: template.name,
		description: "",
		organization: 1,
		notification_type: "webhook",
		notification_configuration: configuration,
		messages: { started: null, success: null, error: null, workflow_approval: null },
	};
}

export function presentNotification(one: Notification): Json {
	const { template } = one;
	return {
		id: one.id,
		type: "notification",
		url: `${ROOT}notifications/${one.id}/`,
		related: { notification_template: `${ROOT}notification_templates/${template.id}/` },
		summary_fields: { notification_template: { id: template.id, name: template.name, description: "" } },
		created: formatTimestamp(one.created, one.id),
		modified: formatTimestamp(one.created, one.id),
		notification_template: template.id,
		error: one.error,
		status: one.status,
		notifications_sent: one.sent,
		notification_type: "webhook",
		recipients: template.url,
		body: one.body,
	};
}
