/** Versions of a query: author, time and changes; view one, or restore it. */
import type { SavedQuery } from "@weft/contracts";
import { savedQueryRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../../platform/call.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";

interface VersionsDialogProps {
	readonly saved: SavedQuery;
	onOpen(version: string): void;
	onRestored(query: SavedQuery): void;
	onClose(): void;
}

export function VersionsDialog({ saved, onOpen, onRestored, onClose }: VersionsDialogProps) {
	const times = useTimes();
	const restore = useAction(
		(version: string) => callRoute(savedQueryRoutes.restore, { params: { id: saved.id, version } }),
		{
			stale: ["saved_queries"],
			onSuccess(query) {
				onRestored(query);
				onClose();
			},
		},
	);
	return (
		<Dialog open wide title={`Versions of ${saved.name}`} onClose={onClose}>
			{restore.error !== null && <ProblemBanner error={restore.error} />}
			<ol className="m-0 list-none p-0">
				{[...saved.version_history].reverse().map(({ version, changes, created_at, created_by }) => (
					<li key={version} className="flex items-start gap-3 border-line border-b py-2 last:border-b-0">
						<span className="mono w-12 shrink-0 pt-0.5 font-semibold">{version}</span>
						<span className="min-w-0 flex-1">
							<span className="block">{changes.join(", ")}</span>
							<span className="block text-muted text-xs">
								{created_by}, {times.dateTime(created_at)}
							</span>
						</span>
						{version === saved.version_string ? (
							<Pill tone="accent">Current</Pill>
						) : (
							<span className="flex gap-1.5">
								<Button
									onClick={() => {
										onOpen(version);
										onClose();
									}}
								>
									Open
								</Button>
								{saved.can_edit && (
									<Button
										busy={restore.isPending && restore.variables === version}
										onClick={() => restore.mutate(version)}
									>
										Restore
									</Button>
								)}
							</span>
						)}
					</li>
				))}
			</ol>
		</Dialog>
	);
}
