// A button that copies a text to the clipboard and confirms it.
import { useEffect, useState } from 'preact/hooks';

export function Copied({ text, what }: { text: string; what: string }) {
  const [said, say] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => say(''), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied');
    } catch {
      say('The browser does not allow it');
    }
  };
  return (
    <>
      <button type="button" class="copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>{said === 'Copied' ? 'Copied' : 'Copy'}</button>
      <span class={said === '' || said === 'Copied' ? 'hidden' : 'dim'} role="status">{said}</span>
    </>
  );
}
