/** Links of new invitations, shown once. */
import type { IssuedInvitation } from "@weft/contracts";
import { baseUrl } from "../../../platform/weft.ts";
import { CopyButton } from "../../../ui/copy.tsx";
import { ShownOnce } from "../../../ui/shown-once.tsx";

/** A link without a configured front end begins with a slash. */
const toAddress = (url: string): string => (url.startsWith("/") ? baseUrl + url : url);

interface IssuedLinksProps {
	readonly invitations: readonly IssuedInvitation[];
	onDone(): void;
}

export function IssuedLinks({ invitations, onDone }: IssuedLinksProps) {
	const text = invitations.map(({ username, url }) => `${username}\t${toAddress(url)}`).join("\n");
	const isMailed = invitations.every(({ is_mailed }) => is_mailed);
	return (
		<ShownOnce wide title="Links of the invitations" confirmation="I have passed the links on" onDone={onDone}>
			<p className="m-0">
				{isMailed
					? "The links are on their way by mail. They are shown here only once; you need not copy them."
					: "The links are shown only once. A link sets the password of its person: pass it to that person only."}
			</p>
			<ul aria-label="Links" className="m-0 flex list-none flex-col gap-2 p-0">
				{invitations.map(({ username, url, is_mailed }) => (
					<li key={username} className="flex min-w-0 flex-col">
						<span className="font-medium">
							{username}
							{is_mailed && <span className="font-normal text-muted"> (mailed)</span>}
						</span>
						<span className="mono break-all">{toAddress(url)}</span>
					</li>
				))}
			</ul>
			<CopyButton text={text} label="Copy the links">
				Copy
			</CopyButton>
		</ShownOnce>
	);
}
