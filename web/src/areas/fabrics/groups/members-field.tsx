/** Connections in an order: checked ones come first, and move up and down. */

import { ArrowDown, ArrowUp } from "lucide-react";
import { formatPlural } from "../../../platform/format.ts";
import { useConnections } from "../../../platform/target.ts";
import { IconButton } from "../../../ui/button.tsx";
import { CheckField } from "../../../ui/field.tsx";
import { GroupMessage } from "../../../ui/field-message.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { listMembers, moveEntry } from "./order.ts";

interface MembersFieldProps {
	readonly chosen: readonly string[];
	/** Members that the user does not see. */
	readonly hidden?: number;
	readonly error?: string | undefined;
	onChange(ids: readonly string[]): void;
}

export function MembersField({ chosen, hidden = 0, error, onChange }: MembersFieldProps) {
	const { data, error: problem, refetch } = useConnections();
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Fabrics, in the order of the results</legend>
			{problem !== null && <ProblemBanner error={problem} onRetry={() => void refetch()} />}
			{data?.results.length === 0 && <p className="m-0 text-muted">There is no fabric yet.</p>}
			{listMembers(chosen, data?.results).map(({ id, name, label }) => {
				const at = chosen.indexOf(id);
				return (
					<span key={id} className="flex items-center gap-1">
						<span className="min-w-0 flex-1">
							<CheckField
								label={label}
								checked={at >= 0}
								onChange={({ target }) =>
									onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
								}
							/>
						</span>
						{at >= 0 && (
							<>
								<IconButton
									variant="ghost"
									label={`Move ${name} up`}
									icon={ArrowUp}
									disabled={at === 0}
									onClick={() => onChange(moveEntry(chosen, at, -1))}
								/>
								<IconButton
									variant="ghost"
									label={`Move ${name} down`}
									icon={ArrowDown}
									disabled={at === chosen.length - 1}
									onClick={() => onChange(moveEntry(chosen, at, 1))}
								/>
							</>
						)}
					</span>
				);
			})}
			{hidden > 0 && (
				<p className="m-0 text-muted text-xs">And {formatPlural(hidden, "connection")} that you do not see.</p>
			)}
			{error && <GroupMessage text={error} />}
		</fieldset>
	);
}
