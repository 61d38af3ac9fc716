/** Valid calls of the routes of accounts. */
import { TEST_PASSWORD } from "./harness.ts";
import type { Call, World } from "./valid-calls.ts";

const AUTH = "/api/auth/";
const MANAGEMENT = `${AUTH}management/`;
const GROUPS = `${AUTH}groups/`;

/** In the order in which they are made. */
export const ACCOUNT_CALLS: Readonly<Record<string, (world: World) => Call | Promise<Call>>> = {
	"auth.login": () => ({
		as: "nobody",
		path: `${AUTH}login/`,
		body: { username: "victim", password: TEST_PASSWORD },
	}),
	"auth.refresh": ({ refresh }) => ({ as: "nobody", path: `${AUTH}token/refresh/`, body: { refresh } }),
	"auth.update_profile": () => ({
		as: "user",
		path: `${AUTH}profile/`,
		body: { first_name: "Mal", last_name: "Lory", email: "mal@example.com" },
	}),
	"auth.update_preferences": () => ({
		as: "user",
		path: `${AUTH}preferences/`,
		body: {
			timezone: "Europe/Paris",
			date_format: "DD/MM/YYYY",
			time_format: "12h",
			theme: "dark",
			class_browser_sections: { open: true },
			default_controller_connection_id: null,
		},
	}),
	"auth.set_session_timeout": () => ({
		as: "user",
		path: `${AUTH}session-timeout/`,
		body: { session_timeout_minutes: 60 },
	}),
	"auth.change_password": () => ({
		as: "user",
		path: `${AUTH}password/change/`,
		body: { old_password: TEST_PASSWORD, new_password: TEST_PASSWORD },
	}),
	"auth.mfa_verify": async ({ code }) => ({
		as: "user",
		path: `${AUTH}mfa/verify/`,
		body: { code: await code() },
	}),
	"auth.reauthenticate": () => ({ as: "user", path: `${AUTH}reauthenticate/`, body: { password: TEST_PASSWORD } }),
	"auth.revoke_other_sessions": () => ({ as: "user", path: `${AUTH}sessions/`, body: { revoke_tokens: false } }),
	"auth.mfa_backup_codes": () => ({
		as: "user",
		path: `${AUTH}mfa/backup-codes/`,
		body: { password: TEST_PASSWORD },
	}),
	"auth.mfa_disable": () => ({ as: "user", path: `${AUTH}mfa/disable/`, body: { password: TEST_PASSWORD } }),
	"auth.password_reset": () => ({
		as: "nobody",
		path: `${AUTH}password-reset/`,
		body: { email: "mal@example.com" },
	}),
	"auth.password_reset_confirm": async ({ resetCode }) => ({
		as: "nobody",
		path: `${AUTH}password-reset/confirm/`,
		body: { code: await resetCode(), new_password: TEST_PASSWORD },
	}),
	"users.create": ({ group }) => ({
		as: "admin",
		path: MANAGEMENT,
		body: {
			username: "newcomer",
			email: "new@example.com",
			password: "a long enough phrase",
			first_name: "New",
			last_name: "Comer",
			is_active: true,
			is_superuser: false,
			must_change_password: true,
			group_ids: [group],
		},
	}),
	"users.invite": ({ group }) => ({
		as: "admin",
		path: `${MANAGEMENT}invitations/`,
		body: { people: [{ username: "invited", email: "invited@example.com", group_ids: [group] }] },
	}),
	"api_tokens.create": () => ({
		as: "user",
		path: "/api/auth/tokens/",
		body: { name: "mine", expires_in_days: 3, read_only: true, allowed_addresses: ["127.0.0.0/8"] },
	}),
	"users.update": ({ other, group, permissions }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/`,
		body: {
			email: "victim@example.com",
			first_name: "Vic",
			last_name: "Tim",
			is_active: true,
			is_superuser: false,
			group_ids: [group],
			permission_ids: [permissions[0]],
		},
	}),
	"users.reset_password": ({ other }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/reset_password/`,
		body: { new_password: "another long phrase" },
	}),
	"users.add_permissions": ({ other, permissions }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/add_permissions/`,
		body: { permission_ids: [permissions[1]] },
	}),
	"users.remove_permissions": ({ other, permissions }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/remove_permissions/`,
		body: { permission_ids: [permissions[1]] },
	}),
	"groups.create": ({ permissions }) => ({
		as: "admin",
		path: GROUPS,
		body: { name: "made", permission_ids: [permissions[0]], quota: null },
	}),
	"groups.update": ({ group, permissions }) => ({
		as: "admin",
		path: `${GROUPS}${group}/`,
		body: { name: "renamed", permission_ids: [permissions[0]] },
	}),
	"groups.clone": ({ group }) => ({ as: "admin", path: `${GROUPS}${group}/clone/`, body: { name: "cloned" } }),
	"groups.add_permissions": ({ group, permissions }) => ({
		as: "admin",
		path: `${GROUPS}${group}/add_permissions/`,
		body: { permission_ids: [permissions[2]] },
	}),
	"groups.remove_permissions": ({ group, permissions }) => ({
		as: "admin",
		path: `${GROUPS}${group}/remove_permissions/`,
		body: { permission_ids: [permissions[2]] },
	}),
	"groups.set_quota": ({ group }) => ({
		as: "admin",
		path: `${GROUPS}${group}/quota/`,
		body: { queries_max: 5, can_share: false },
	}),
};
