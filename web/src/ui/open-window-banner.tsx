/** Says on the pages of a fabric that a change window is open, until when, and leads to it. */
import { useOpenWindows } from "../platform/open-windows.ts";
import { useTimes } from "../platform/profile.ts";
import { useConnections } from "../platform/target.ts";
import { ButtonLink } from "./button.tsx";
import { Banner } from "./page.tsx";

interface OpenWindowBannersProps {
	/** Ids of the connections of the page; null or undefined for one that is not known. */
	readonly connections: readonly (string | null | undefined)[];
	readonly className?: string;
}

export function OpenWindowBanners({ connections, className }: OpenWindowBannersProps) {
	const windows = useOpenWindows(connections);
	const times = useTimes();
	const known = useConnections().data?.results ?? [];
	if (windows.length === 0) return null;
	return (
		<div className={className}>
			<div className="flex flex-col gap-2">
				{windows.map(({ id, title, connection_ids, ends_at }) => {
					const names = known.filter(({ id: one }) => connection_ids.includes(one) && connections.includes(one));
					const end = ends_at === null ? "until its work is finished" : `until ${times.dateTime(ends_at)}`;
					return (
						<Banner
							key={id}
							tone="warn"
							title={`Change window "${title}" is open ${end}.`}
							detail={names.length > 0 && `Work is going on at ${names.map(({ name }) => name).join(", ")}.`}
							action={
								<ButtonLink to="/change-windows/$id" params={{ id }}>
									Open the change window
								</ButtonLink>
							}
						/>
					);
				})}
			</div>
		</div>
	);
}
