/** The people who may do one thing, for the question "Who may approve?". */
import { Link } from "@tanstack/react-router";
import { userRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { SelectField } from "../../../ui/field.tsx";
import { Empty, Loaded, Panel } from "../../../ui/page.tsx";

/** Questions by the codename that answers them. */
const QUESTIONS: Readonly<Record<string, string>> = {
	approve_automationrequest: "approve requests",
	launch_automationrequest: "launch approved requests",
	add_automationrequest: "make requests",
	add_automationtemplate: "make templates",
	write_controllerconnection: "change objects on fabrics",
	change_controllerconnection: "change connections to fabrics",
	add_savedquery: "make queries",
	add_check: "make checks",
	change_snapshotsettings: "change the retention of snapshots",
};
/** Upper bound of the people that are named. Others are counted. */
const NAMED = 50;

export function WhoMay() {
	const [permission, setPermission] = useState("approve_automationrequest");
	const query = { permission, is_active: "true", page_size: String(NAMED) } as const;
	const answer = useAnswer(userRoutes.list, { query }, { keepPrevious: true });
	return (
		<Panel title="Who may …?" padded>
			<SelectField
				label="Who may"
				className="max-w-80"
				value={permission}
				options={Object.entries(QUESTIONS).map(([value, label]) => ({ value, label }))}
				onChange={(event) => setPermission(event.target.value)}
			/>
			<Loaded answer={answer} lines={2}>
				{({ count, results }) =>
					count === 0 ? (
						<Empty>Nobody. Give the permission to a group, and add people to it.</Empty>
					) : (
						<>
							<p className="m-0 pt-2 text-muted">
								{formatPlural(count, "person", "people")}, service accounts included.
								{permission === "approve_automationrequest" &&
									" A template may limit its approvers to some groups; nobody approves their own request, except a superuser."}
							</p>
							<ul
								aria-label={`Who may ${QUESTIONS[permission]}`}
								className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-0 pt-2"
							>
								{results.map(({ id, username, is_superuser, group_names }) => (
									<li key={id}>
										<Link
											to="/users/$id"
											params={{ id: String(id) }}
											className="rounded-cell font-medium text-accent-text hover:underline"
										>
											{username}
										</Link>{" "}
										<span className="text-muted">
											{is_superuser ? "superuser" : group_names.map(showGroupName).join(", ")}
										</span>
									</li>
								))}
								{count > results.length && <li className="text-muted">and {count - results.length} more</li>}
							</ul>
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}
