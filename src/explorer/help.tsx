import { useEffect, useRef } from 'preact/hooks';
import { displayText } from '../formats/names.ts';
import { useApp } from './app-context.tsx';
import { KEYS } from './words.ts';

export function Help({ onClose }: { onClose: () => void }) {
  const { facts, say, language } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" onClose={onClose}>
      <div>
        <h2>{say('keysTitle')}</h2>
        <dl>
          {KEYS.map(([keys, en, zh]) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{language === 'zh' ? zh : en}</dd>
            </div>
          ))}
        </dl>
        <h2>{say('about')}</h2>
        <p>{say('aboutText')}</p>
        <ul>
          {facts.comments.map(comment => (
            <li key={comment}>{displayText(comment)}</li>
          ))}
        </ul>
        <button type="button" onClick={() => dialog.current?.close()}>
          {say('close')}
        </button>
      </div>
    </dialog>
  );
}
