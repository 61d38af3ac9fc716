/** The logins of a demonstration. */
import type { DemoLogin } from "@weft/contracts";
import { Button } from "../../../ui/button.tsx";

interface DemoLoginsProps {
	readonly logins: readonly DemoLogin[];
	readonly busy: boolean;
	onUse(login: DemoLogin): void;
}

export function DemoLogins({ logins, busy, onUse }: DemoLoginsProps) {
	return (
		<table className="w-full border-collapse text-left">
			<caption className="pb-1.5 text-left text-muted text-xs">This is a demo. Sign in as one of these people.</caption>
			<thead className="sr-only">
				<tr>
					<th scope="col">Role</th>
					<th scope="col">Username</th>
					<th scope="col">Password</th>
					<th scope="col">Sign in</th>
				</tr>
			</thead>
			<tbody>
				{logins.map((login) => (
					<tr key={login.username} className="border-line border-t">
						<th scope="row" className="py-1 pr-2 font-normal text-muted">
							{login.role}
						</th>
						<td className="mono py-1 pr-2">{login.username}</td>
						<td className="mono py-1 pr-2 text-xs">{login.password}</td>
						<td className="py-1 text-right">
							<Button busy={busy} aria-label={`Use ${login.username}`} onClick={() => onUse(login)}>
								Use
							</Button>
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}
