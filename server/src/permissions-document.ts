/**
 * docs/permissions.md: who may call each route, from the contracts and what the groups hold at
 * first.
 */
import type { RouteContract } from "@weft/contracts";
import { ROLE_NAMES, type Role, rolesWith } from "./areas/accounts/users/index.ts";

const HEAD = `# Who may call what

Made by \`npm run openapi\` from the contracts; a test walks every line with each kind of user.

- **anonymous**: no token is needed. **signature**: a signature in a header identifies the caller.
- **signed in**: every user. **admin**: members of \`Admin\`, and superusers. Else the name of a permission, which a user has
  directly or through a group.
- The columns are the groups as they are at first. Users who are made without groups are in \`Users\`; members of \`Admin\` and superusers may call everything.
- Most objects have an owner besides; categories, check templates and the class model have none. An object that the caller cannot see
  answers 404; an action that the caller may not do answers 403. Quotas may refuse further (\`{detail, quota}\`).
- An API token has its owner's rights or fewer, and never reaches the account itself ([api-tokens.md](api-tokens.md)). Only a superuser
  changes a superuser, or who is in \`Admin\`.
`;

const COLUMNS: readonly Role[] = [
	"Users",
	...ROLE_NAMES.filter((name) => name !== "Users" && name !== "Admin"),
	"Admin",
];

export function buildPermissionsDocument(routes: readonly RouteContract[]): string {
	const lines = [...routes]
		.sort((a, b) => (a.path === b.path ? getMethodOrder(a) - getMethodOrder(b) : a.path < b.path ? -1 : 1))
		.map((route) =>
			formatRow([
				`${route.method} \`${route.path}\``,
				formatAudience(route),
				...COLUMNS.map((role) => formatMark(route, role)),
			]),
		);
	const head = formatRow(["route", "who", ...COLUMNS]);
	return `${HEAD}\n${head}\n${formatRow(["---", "---", ...COLUMNS.map(() => ":-:")])}\n${lines.join("\n")}\n`;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const getMethodOrder = ({ method }: RouteContract): number => METHODS.indexOf(method);
const formatRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function formatAudience({ auth, permission }: RouteContract): string {
	if (auth !== "bearer") return auth === "anonymous" ? "anonymous" : "signature";
	if (permission === "any") return "signed in";
	return permission === "admin" ? "admin" : `\`${permission}\``;
}

const formatMark = ({ auth, permission }: RouteContract, role: Role): string =>
	auth !== "bearer" || rolesWith(permission).includes(role) ? "✓" : "";
