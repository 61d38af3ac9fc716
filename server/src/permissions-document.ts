/**
 * docs/permissions.md: who may call each route, from the contracts and what the groups hold at
 * first.
 */
import type { RouteContract } from "@weft/contracts";
import { ROLE_NAMES, type Role, rolesWith } from "./features/users/index.ts";

const HEAD = `# Who may call what

Made by \`npm run openapi\` from the contracts; a test walks every line with each kind of user.

- **anybody**: no token is needed. **signature**: the caller proves itself by a signature in a header.
- **signed in**: every user. **admin**: members of \`Admin\`, and superusers. Else the name of a permission, which a user has
  directly or through a group.
- The columns are the groups as they are at first. Every user is in \`Users\`; members of \`Admin\` and superusers may call everything.
- Past this gate each object has its owner. What one does not see answers 404; what one sees and may not do answers 403.
  Quotas may refuse further (\`{detail, quota}\`).
`;

const COLUMNS: readonly Role[] = [
	"Users",
	...ROLE_NAMES.filter((name) => name !== "Users" && name !== "Admin"),
	"Admin",
];

export function permissionsDocument(routes: readonly RouteContract[]): string {
	const lines = [...routes]
		.sort((a, b) => (a.path === b.path ? order(a) - order(b) : a.path < b.path ? -1 : 1))
		.map((route) =>
			row([`${route.method} \`${route.path}\``, whoOf(route), ...COLUMNS.map((role) => mark(route, role))]),
		);
	const head = row(["route", "who", ...COLUMNS]);
	return `${HEAD}\n${head}\n${row(["---", "---", ...COLUMNS.map(() => ":-:")])}\n${lines.join("\n")}\n`;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const order = ({ method }: RouteContract): number => METHODS.indexOf(method);
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function whoOf({ auth, permission }: RouteContract): string {
	if (auth !== "bearer") return auth === "anonymous" ? "anybody" : "signature";
	if (permission === "any") return "signed in";
	return permission === "admin" ? "admin" : `\`${permission}\``;
}

const mark = ({ auth, permission }: RouteContract, role: Role): string =>
	auth !== "bearer" || rolesWith(permission).includes(role) ? "✓" : "";
